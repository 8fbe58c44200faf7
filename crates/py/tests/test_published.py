"""Values that sources print or other programs compute: ``testdata/published`` and ``testdata/reference``, as the Rust tests run them.

Every case of every file must have a runner, and a runner must read every value of its case: a value nobody looks at is a failure.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calibrant import UndefinedError, stats

TESTDATA = Path(__file__).parents[3] / "testdata"

# A few operations in double precision, in another order.
ROUNDING = 1e-13
# Both programs stop where the gradient is negligible.
LOG_POSTERIOR, LOG_LIKELIHOOD, PARAMETER, ABILITY, STANDARD_ERROR = 1e-6, 1e-4, 1e-4, 1e-5, 1e-5
# irrCAC centres units of unequally many labels elsewhere; the reason stands in the file.
ITS_CENTRE = 1e-3
MISSING = 255
# What a file says about a case, which no statistic computes.
WORDS = {"name", "source"}
# Read off the same panels as the retention; only with the panels could they be computed again.
CONTEXT = {("attrition", "distinguishability"), ("attrition", "joint")}


class Case:
    """A table of values that remembers which were read."""

    def __init__(self, values: dict[str, Any], read: set[str] | None = None) -> None:
        self.values = values
        self.read = set() if read is None else read

    def __getitem__(self, key: str) -> Any:
        self.read.add(key)
        return self.values[key]

    def get(self, key: str) -> Any:
        self.read.add(key)
        return self.values.get(key)

    def inner(self, key: str) -> list[Case]:
        self.read.add(key)
        found = self.values[key]
        return [Case(one) for one in (found if isinstance(found, list) else [found])]

    def unread(self) -> set[str]:
        return set(self.values) - self.read - WORDS


def close(found: float | stats.Coefficient | None, expected: float, tolerance: float, what: str = "") -> None:
    assert found is not None, f"{what}: nothing found"
    assert abs(float(found) - expected) <= tolerance, f"{what}: found {float(found)}, expected {expected}"


def done(*cases: Case) -> None:
    for case in cases:
        assert not case.unread(), f"nobody looks at {sorted(case.unread())}"


def agreement(case: Case) -> None:
    size = case["labels"]
    ratings = stats.Ratings.from_table(np.reshape(case["counts"], (size, size)))
    tolerance = case["tolerance"]
    kappa, pi = stats.cohen_kappa(ratings), stats.scott_pi(ratings)
    for found, key in ((kappa.observed, "observed"), (kappa.expected, "expected"), (kappa, "kappa"), (pi, "pi")):
        if case.get(key) is not None:
            close(found, case[key], tolerance, key)
    if case.get("pi_expected") is not None:
        close(pi.expected, case["pi_expected"], tolerance, "chance of pi")


def kappa_errors(part: Case) -> None:
    size, tolerance = part["labels"], part["tolerance"]
    ratings = stats.Ratings.from_table(np.reshape(part["counts"], (size, size)))
    for case in part.inner("case"):
        found = stats.weighted_kappa(ratings, weights=case["weights"])
        close(found, case["value"], tolerance)
        close(found.standard_error, case["standard_error"], tolerance)
        close(found.null_standard_error, case["null_standard_error"], tolerance)
        close(found.low, case["interval"][0], tolerance)
        close(found.high, case["interval"][1], tolerance)
        done(case)


PANEL_COEFFICIENTS: dict[str, Callable[..., stats.Coefficient]] = {
    "gwet": stats.gwet_ac2,
    "fleiss": stats.fleiss_kappa,
    "brennan_prediger": stats.brennan_prediger,
}


def alpha(ratings: Any, weights: str) -> stats.Coefficient:
    return stats.krippendorff_alpha(ratings, difference="interval" if weights == "quadratic" else "nominal")


def known(found: stats.Coefficient, case: Case, part: Case) -> None:
    close(found, case["value"], part["tolerance"])
    close(found.standard_error, case["standard_error"], part["tolerance"])
    if case.get("low") is not None:
        close(found.low, case["low"], part["interval_tolerance"])
    assert found.high == 1.0, "ends above 1 are cut there"


def panel_codes(part: Case) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.array(part["codes"], dtype=np.uint8).reshape(-1, part["judges"])


def panel_errors(part: Case) -> None:
    codes = panel_codes(part)
    levels = np.arange(part["levels"])
    for case in part.inner("case"):
        weights = case["weights"]
        for name, coefficient in PANEL_COEFFICIENTS.items():
            (expected,) = case.inner(name)
            known(coefficient(codes, weights=weights, levels=levels), expected, part)
            done(expected)
        (conger,) = case.inner("conger")
        close(stats.conger_kappa(codes, weights=weights, levels=levels), conger["value"], part["tolerance"])
        if "alpha" in case.values:
            (expected,) = case.inner("alpha")
            found = alpha(codes, weights)
            known(found, expected, part)
            assert found.standard_error is not None
            close(found.standard_error / expected["irrcac"], 1.0, ITS_CENTRE)
            done(expected)
        done(case, conger)


def complete_errors(case: Case) -> None:
    part = Case(load("agreement_errors")["panel"])
    codes = panel_codes(part)
    complete = codes[(codes != MISSING).all(axis=1)]
    (expected,) = case.inner("alpha")
    known(alpha(complete, case["weights"]), expected, part)
    done(expected)


def attrition(case: Case) -> None:
    systems, retention = np.array(case["systems"]), np.array(case["retention"])
    (fit,) = case.inner("fit")
    found = stats.geometric_fit(fit["retention"])
    close(found.rho, fit["rho"], fit["tolerance"])
    close(found.rmse, fit["rmse"], fit["tolerance"])
    close(found.r_squared, fit["r_squared"], fit["r_squared_tolerance"])
    a, b = fit["beta_raw"]
    close(stats.BetaFit(a, b, fit["retention"]).rmse, fit["beta_raw_rmse"], fit["tolerance"])
    for m, share, rate, alike in zip(systems, retention, case["rate"], case["homogeneous"], strict=True):
        close(share ** (1 / m), rate, case["tolerance"])
        # The source raises a rho that it prints to three decimals.
        rounding = 0.0005 * (1 + m * fit["rho"] ** (m - 1))
        close(fit["rho"] ** m, alike, rounding)
    done(fit)


def fleiss(case: Case) -> None:
    ratings = stats.Ratings.from_counts(np.reshape(case["counts"], (-1, case["levels"])))
    found = stats.fleiss_kappa(ratings)
    close(found, case["kappa"], case["tolerance"])
    (peer,) = case.inner("statsmodels")
    close(found, peer["kappa"], peer["tolerance"])
    done(peer)


FORMS = {
    "one_way_single": "1,1",
    "agreement_single": "2,1",
    "consistency_single": "3,1",
    "one_way_mean": "1,k",
    "agreement_mean": "2,k",
    "consistency_mean": "3,k",
}


def shrout_fleiss(file: Case) -> None:
    ratings = np.reshape(file["values"], (-1, file["judges"]))
    for case in file.inner("icc"):
        found = stats.icc(ratings, form=FORMS[case["form"]])  # type: ignore[arg-type]
        close(found.value, case["value"], file["tolerance"])
        close(found.value, case["pingouin"], ROUNDING)
        close(found.f, case["f"], 100 * ROUNDING)
        close(found.low, case["interval"][0], file["tolerance"])
        close(found.high, case["interval"][1], file["tolerance"])
        done(case)


def responses_of_patterns(file: Case) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rows = [[int(digit) for digit in pattern] for pattern, _ in file["patterns"]]
    return np.array(rows, dtype=np.uint8), np.array([count for _, count in file["patterns"]], dtype=float)


def lsat(file: Case) -> None:
    rows, weights = responses_of_patterns(file)
    assert weights.sum() == file["examinees"]
    assert (weights @ rows).tolist() == file["item_totals"]


def posterior(case: Case) -> None:
    tolerance = load("measurability")["tolerance"]
    agreed, total = case["agreed"], case["total"]
    found = stats.measurability(agreed, total)
    for part in ("mean", "low", "high"):
        close(getattr(found, part), case[part], tolerance, part)
    close(float(stats.probability_at_least(agreed, total, 0.8)), case["at_least_80"], tolerance)


def rank_pair(case: Case) -> None:
    tolerance = load("ranking")["tolerance"]
    close(stats.kendall_tau_b(case["x"], case["y"]), case["tau_b"], tolerance)
    close(stats.spearman(case["x"], case["y"]), case["spearman"], tolerance)


def response_score(case: Case) -> None:
    close(stats.ScorePlan(case["weights"]).response(0, case["values"]).score, case["score"], ROUNDING)


def effective_criteria(case: Case) -> None:
    close(stats.k_eff(case["weights"]), case["k_eff"], ROUNDING)


# Files that are a case as a whole, and lists or parts of files whose entries are cases.
RUNNERS: dict[str, Callable[[Case], None]] = {
    "agreement/table": agreement,
    "agreement_errors/kappa": kappa_errors,
    "agreement_errors/panel": panel_errors,
    "agreement_errors/complete": complete_errors,
    "attrition": attrition,
    "fleiss1971": fleiss,
    "lsat6": lsat,
    "lsat7": lsat,
    "measurability/posterior": posterior,
    "ranking/pair": rank_pair,
    "scores/k_eff": effective_criteria,
    "scores/response": response_score,
    "shrout_fleiss1979": shrout_fleiss,
}


def load(name: str) -> dict[str, Any]:
    return tomllib.loads((TESTDATA / "published" / f"{name}.toml").read_text())


def cases() -> Iterator[Any]:
    """Every case of every file: a file with a runner, else each table in it."""
    for path in sorted((TESTDATA / "published").glob("*.toml")):
        file = load(path.stem)
        if path.stem in RUNNERS:
            yield pytest.param(path.stem, file, id=path.stem)
            continue
        tables = {key: value for key, value in file.items() if isinstance(value, list | dict)}
        for key, value in tables.items():
            for place, case in enumerate(value if isinstance(value, list) else [value]):
                yield pytest.param(f"{path.stem}/{key}", case, id=f"{path.stem}/{key}[{place}]")
        if not tables:
            yield pytest.param(path.stem, file, id=path.stem)


@pytest.mark.parametrize(("runner", "values"), list(cases()))
def test_published(runner: str, values: dict[str, Any]) -> None:
    assert runner in RUNNERS, f"nobody runs {runner}: add a runner"
    case = Case(values, {key for file, key in CONTEXT if file == runner})
    RUNNERS[runner](case)
    done(case)


def test_every_runner_has_a_case() -> None:
    found = [case.values[0] for case in cases()]
    assert set(found) == set(RUNNERS)
    assert len(found) >= 30, "a file lost its cases"


# Fits, against an independent estimator: numpy and scipy, the exact objective on the fixed 41-node grid.

TABLES = ("lsat6", "lsat7", "sim2pl", "leaderboard", "longrow")


def table(name: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
    if name.startswith("lsat"):
        return responses_of_patterns(Case(load(name)))
    path = TESTDATA / "reference" / "data" / f"{name}.csv"
    rows = np.genfromtxt(path, delimiter=",", skip_header=1)
    return np.delete(rows, stats.constant_items(rows), axis=1), None


def reference(name: str, model: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((TESTDATA / "reference" / "irt_map.json").read_text())[f"{name}/{model}"]
    return found


def fitted(name: str, model: Any) -> stats.IrtFit:
    rows, weights = table(name)
    return stats.fit_irt(rows, model=model, system_weights=weights, grid="fixed")


def within(found: Any, expected: Any, tolerance: float) -> None:
    assert np.max(np.abs(np.asarray(found) - np.asarray(expected))) <= tolerance


@pytest.mark.parametrize("model", ["1PL", "2PL"])
@pytest.mark.parametrize("name", TABLES)
def test_fits_match_the_reference(name: str, model: Any) -> None:
    fit, expected = fitted(name, model), reference(name, model)
    assert fit.converged
    close(fit.log_posterior, expected["objective"], LOG_POSTERIOR)
    close(fit.log_likelihood, expected["loglik"], LOG_LIKELIHOOD)
    assert fit.parameters == expected["npar"]
    within(fit.discrimination, expected["a"], PARAMETER)
    within(fit.difficulty, expected["b"], PARAMETER)
    rows, _ = table(name)
    for found in (fit.abilities(), stats.abilities(rows, fit.discrimination, fit.difficulty, grid="fixed")):
        within(found.mean, expected["eap"], ABILITY)
        within(found.standard_error, np.nan_to_num(expected["posterior_sd"]), ABILITY)


@pytest.mark.parametrize("model", ["1PL", "2PL"])
@pytest.mark.parametrize("name", ["lsat6", "lsat7", "sim2pl"])
def test_standard_errors_of_items(name: str, model: Any) -> None:
    errors = fitted(name, model).standard_errors()
    expected = np.array(reference(name, model)["se_x"])
    items = len(errors.difficulty)
    slopes, difficulties = expected[:-items], expected[-items:]
    within(errors.log_discrimination / slopes, 1.0, STANDARD_ERROR)
    within(errors.difficulty / difficulties, 1.0, STANDARD_ERROR)


@pytest.mark.parametrize("name", TABLES)
def test_comparisons(name: str) -> None:
    found = stats.compare_fits(fitted(name, "1PL"), fitted(name, "2PL"))
    for place, model in enumerate(("1PL", "2PL")):
        expected = reference(name, model)
        close(found.aic[place], expected["AIC"], 2 * LOG_LIKELIHOOD)
        close(found.bic_systems[place], expected["BIC_persons"], 2 * LOG_LIKELIHOOD)
        close(found.bic_cells[place], expected["BIC_responses"], 2 * LOG_LIKELIHOOD)


def test_greedy_matches_the_reference() -> None:
    file = json.loads((TESTDATA / "reference" / "greedy.json").read_text())
    small = file["small14"]
    a, b = np.array(small["a"]), np.array(small["b"])
    information = stats.information(a[:, None], b[:, None], file["nodes"])
    for budget, expected in small["by_budget"].items():
        found = stats.greedy(information, file["weights"], budget=int(budget))
        assert found.order.tolist() == expected["greedy_set_in_order"]
        close(found.utility, expected["greedy_U"], ROUNDING)
        assert expected["optimum"] <= found.optimum_bound + ROUNDING
        plain = stats.plain(information, file["weights"], budget=int(budget))
        assert sorted(plain.order.tolist()) == sorted(expected["plain_iif_set"])
        close(plain.utility, expected["plain_iif_U"], ROUNDING)
        close(stats.utility(information, file["weights"], expected["optimum_set"]), expected["optimum"], ROUNDING)


# Agreement, against what sources print and other programs compute.


def other_programs() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((TESTDATA / "reference" / "agreement.json").read_text())
    return found


@pytest.mark.parametrize(
    "name", ["krippendorff2011_D", "krippendorff2011_A_binary", "krippendorff2011_B_nominal", "alpha_one_disagreement"]
)
def test_alpha_of_other_programs(name: str) -> None:
    case = other_programs()[name]
    ratings = np.array(case["data_raters_x_units"], dtype=float).T
    for difference in set(case["direct"]) & {"nominal", "ordinal", "interval", "ratio"}:
        found = stats.krippendorff_alpha(ratings, difference=difference)
        close(found, case["direct"][difference], ROUNDING, difference)
    functions = {
        "gwet_ac1": stats.gwet_ac1,
        "fleiss": stats.fleiss_kappa,
        "brennan_prediger": stats.brennan_prediger,
        "percent_agreement": stats.percent_agreement,
    }
    for key in set(case["direct"]) & set(functions):
        close(functions[key](ratings), case["direct"][key], ROUNDING, key)


def test_one_label_only() -> None:
    ratings = np.ones((4, 3))
    for coefficient in (stats.krippendorff_alpha, stats.fleiss_kappa):
        with pytest.raises(UndefinedError) as error:
            coefficient(ratings, levels=[0, 1])
        assert error.value.reason == "one_label"
    assert float(stats.gwet_ac1(ratings, levels=[0, 1])) == 1.0
    assert float(stats.brennan_prediger(ratings, levels=[0, 1])) == 1.0


@pytest.mark.parametrize("name", ["feinstein_cicchetti_balanced", "feinstein_cicchetti_skewed"])
def test_indices_of_two_judges(name: str) -> None:
    case = other_programs()[name]
    ratings = stats.Ratings.from_table(case["table"])
    direct = case["direct"]
    close(stats.cohen_kappa(ratings), direct["kappa"], ROUNDING)
    close(stats.pabak(ratings), direct["pabak"], ROUNDING)
    close(stats.gwet_ac1(ratings), direct["ac1"], ROUNDING)
    close(stats.prevalence_index(ratings), direct["prevalence_index"], ROUNDING)
    close(stats.bias_index(ratings), direct["bias_index"], ROUNDING)
    close(stats.fleiss_kappa(ratings), float(stats.scott_pi(ratings)), ROUNDING)


def test_weights_of_cohen_1968() -> None:
    case = other_programs()["cohen1960_1968"]
    disagreement = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
    ratings = stats.Ratings.from_table(case["table"])
    found = stats.weighted_kappa(ratings, weights=1 - disagreement / disagreement.max())
    close(found, case["direct"]["kappa_w1968"], ROUNDING)
    for word in ("linear", "quadratic"):
        close(stats.weighted_kappa(ratings, weights=word), case["peers"]["sklearn"][word], ROUNDING)
