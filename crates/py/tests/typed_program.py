"""A program of a user who has types checked: clean under ``mypy --strict``, and it runs."""

from __future__ import annotations

import calibrant
import numpy as np
import numpy.typing as npt
from calibrant import stats


def leaderboard(scores: calibrant.Scores) -> list[tuple[str, float]]:
    systems = scores.systems
    return [(str(name), float(ability)) for name, ability in zip(systems["system"], systems["ability"], strict=True)]


def agreement(ratings: npt.NDArray[np.uint8]) -> float | None:
    try:
        return float(stats.krippendorff_alpha(ratings))
    except calibrant.UndefinedError as error:
        reason: str = error.reason
        print("undefined:", reason)
        return None


def doubts(artifact: calibrant.Artifact) -> list[str]:
    return [f"{doubt.severity}: {doubt.message}" for doubt in artifact.warnings]


def main() -> None:
    panel = calibrant.simulate_panel(systems=4, queries=12, criteria=3, judges=3, seed=7)
    calibration: calibrant.Calibration = calibrant.calibrate(panel, threshold=0.7)
    fit: calibrant.Fit = calibrant.fit(calibration)
    bank: calibrant.Bank = calibrant.assemble(calibration, fit, budget=10)
    scores: calibrant.Scores = calibrant.score(calibration, fit, bank, replicates=50)
    for name, ability in leaderboard(scores):
        print(name, round(ability, 2))
    print(*doubts(scores), sep="\n")
    print(agreement(np.array([[0, 1], [1, 1], [0, 0]], dtype=np.uint8)), agreement(np.array([[1, 1]], dtype=np.uint8)))
    try:
        calibrant.read_verdicts("nothing.csv")
    except calibrant.InputError as error:
        first: calibrant.Finding = error.findings[0]
        print(first.severity, first.message)


if __name__ == "__main__":
    main()
