#!/usr/bin/env python3
"""What a call from Python costs beside the same call from Rust, on the same arrays: processor time, in turn, medians.

    cargo build --release -p calibrant-stats --example calls
    python crates/py/benches/calls.py target/release/examples/calls       # with the release wheel installed
    python crates/py/benches/calls.py --markdown                          # results.json as the table of docs/performance.md

The Rust program stays open and is asked in turn with Python. It does what the function does after its arguments are read: the
ratio is what reading, copying and handing over cost.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Threads would share work, and their waiting would count.
os.environ["RAYON_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
from calibrant import stats  # noqa: E402

RESULTS = Path(__file__).with_name("results.json")
LEVELS = np.arange(5)
BUDGET = 500
# A call may cost so much more than the kernel.
LIMIT = 1.05


def panel(units: int, judges: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Codes of judges who give the truth with chance .7, one in ten missing."""
    random = np.random.default_rng(1)
    truth = random.integers(0, 5, (units, 1), dtype=np.uint8)
    codes = np.where(random.random((units, judges)) < 0.7, truth, random.integers(0, 5, (units, judges), dtype=np.uint8))
    codes[random.random((units, judges)) < 0.1] = 255
    return codes


def pair(units: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    codes = panel(units, 2)
    return np.ascontiguousarray(codes.T)


def responses(systems: int, items: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    random = np.random.default_rng(2)
    ability = random.normal(size=(systems, 1))
    slope, difficulty = np.exp(0.5 * random.normal(size=2 * items)), random.normal(size=2 * items)
    passed = random.random((systems, 2 * items)) < np.asarray(stats.probability(slope, difficulty, ability))
    passed = passed[:, passed.any(axis=0) & ~passed.all(axis=0)]
    return np.ascontiguousarray(passed[:, :items], dtype=np.uint8)


def information(items: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    random = np.random.default_rng(3)
    slope, difficulty = np.exp(0.5 * random.normal(size=(items, 1))), 1.5 * random.normal(size=(items, 1))
    return np.asarray(stats.information(slope, difficulty, stats.ability_grid()[0]))


def alpha(codes: Any, **more: Any) -> object:
    return stats.krippendorff_alpha(codes, difference="ordinal", **more)


WEIGHTS = stats.ability_grid()[1]

# What, the work of the Rust program, the array, the call, calls in one measurement, and whether the limit holds.
Work = tuple[str, str, Callable[[], Any], Callable[[Any], object], int, bool]
WORKS: list[Work] = [
    ("alpha, 5 x 10^6 labels, levels given", "alpha", lambda: panel(10**6, 5), lambda c: alpha(c, levels=LEVELS), 4, True),
    ("alpha, 5 x 10^7 labels, levels given", "alpha", lambda: panel(10**7, 5), lambda c: alpha(c, levels=LEVELS), 1, True),
    ("alpha, 5 x 10^7 labels, levels found", "alpha", lambda: panel(10**7, 5), lambda c: alpha(c), 1, True),
    ("bootstrap of alpha, 1,000 on 10^5 units", "bootstrap", lambda: panel(10**5, 5),
     lambda c: alpha(c, levels=LEVELS, interval="bootstrap"), 1, True),
    ("kappa, 10^5 units", "kappa", lambda: pair(10**5), lambda c: stats.cohen_kappa(c[0], c[1], levels=LEVELS), 1000, True),
    ("2PL fit, 15 x 2,000", "fit", lambda: responses(15, 2000), lambda c: stats.fit_irt(c), 2, True),
    ("2PL fit, 1,000 x 500", "fit", lambda: responses(1000, 500), lambda c: stats.fit_irt(c), 1, True),
    ("greedy, 500 of 20,000", "greedy", lambda: information(20_000),
     lambda c: stats.greedy(c, WEIGHTS, budget=BUDGET), 1, True),
    ("kappa, 200 units", "kappa", lambda: pair(200), lambda c: stats.cohen_kappa(c[0], c[1], levels=LEVELS), 20_000, False),
    ("alpha, 5 x 10^6 labels as float64", "alpha", lambda: panel(10**6, 5),
     lambda c: alpha(c, levels=LEVELS), 1, False),
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("twin", nargs="?", type=Path)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--repetitions", type=int, default=11)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    if asked.markdown:
        print(markdown(json.loads(RESULTS.read_text())))
        return
    if asked.twin is None:
        parser.error("name the Rust program, or ask for --markdown")
    rows = []
    with tempfile.TemporaryDirectory() as folder, Twin(asked.twin) as twin:
        for work in WORKS:
            if asked.only in work[0]:
                rows.append(measured(work, twin, Path(folder) / "array", asked.repetitions))
                print(markdown(rows[-1:]).splitlines()[-1], flush=True)
    if not asked.only:
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n")
    slow = [row["what"] for row in rows if row["bound"] and row["python"] > LIMIT * row["rust"]]
    if slow:
        sys.exit("a call costs more than " + str(LIMIT) + " of its kernel: " + "; ".join(slow))


class Twin:
    """The Rust program, asked line by line."""

    def __init__(self, program: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program], stdin=pipe, stdout=pipe, text=True, bufsize=1)

    def __enter__(self) -> Twin:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def seconds(self, work: str, path: Path, shape: tuple[int, int], times: int) -> float:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{work} {path} {shape[0]} {shape[1]} {times}\n")
        return float(self.process.stdout.readline())


def measured(work: Work, twin: Twin, path: Path, repetitions: int) -> dict[str, Any]:
    what, kernel, make, call, times, bound = work
    array = make()
    path = path.with_name(what.replace(" ", "-").replace(",", ""))
    array.tofile(path)
    shape = (array.shape[1], 2) if kernel == "kappa" else array.shape
    given = np.where(array == 255, np.nan, array.astype(float)) if what.endswith("float64") else array
    ours, theirs = [], []
    # The first of each fills caches and starts threads.
    for repetition in range(repetitions + 1):
        before = time.process_time()
        for _ in range(times):
            call(given)
        spent = (time.process_time() - before) / times
        kernel_spent = twin.seconds(kernel, path, shape, times)
        if repetition:
            ours.append(spent)
            theirs.append(kernel_spent)
    path.unlink()
    return {
        "what": what,
        "python": statistics.median(ours),
        "rust": statistics.median(theirs),
        "bound": bound,
        "repetitions": repetitions,
    }


def markdown(rows: list[dict[str, Any]]) -> str:
    lines = ["| call | Rust ms | Python ms | ratio | above the kernel, µs |", "|---|---|---|---|---|"]
    for row in rows:
        python, rust = row["python"], row["rust"]
        more = (python - rust) * 1e6
        lines.append(f"| {row['what']} | {rust * 1e3:.3g} | {python * 1e3:.3g} | {python / rust:.2f} | {more:.1f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
