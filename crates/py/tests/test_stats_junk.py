"""Whatever arguments come, the answer is a result or an exception of ours: no panic, no crash."""

import inspect
import random
from typing import Any

import numpy as np
import pytest
from calibrant import CalibrantError, stats

# What Python itself refuses: a word for a number, a number that no integer of 64 bits holds.
OF_PYTHON = (TypeError, OverflowError)
CALLS = 60

JUNK: list[Any] = [
    None, 0, 1, 2, -1, 0.5, np.nan, np.inf, 1e300, 2**40, 2**63, [], [[]], [1, 0, 1], [[1, 0], [0, 1], [1, 1]],
    [[np.nan, np.nan]], np.zeros((0, 3)), np.zeros((3, 0)), np.array(1.0), np.array([[0, 1], [255, 1], [1, 0]], dtype=np.uint8),
    np.array([[0, 1, 3], [255, 1, 2]], dtype=np.uint8), np.array([255, 255], dtype=np.uint8), "nominal", "bootstrap",
    "quadratic", [[1e308, -1e308]], (1, 2), (0, 0), np.eye(2), np.ones((2, 2, 2)), [0.2, 0.9, 0.5, 0.1, 0.7, 0.3, 0.1, 0.2],
]  # fmt: skip
# Sizes of work and of results, which a call is free to take its time for.
SIZES = {"replicates", "size", "max_iterations", "prompts", "repeats", "nodes", "queries", "criteria"}


def arguments(function: Any, random: random.Random) -> dict[str, Any]:
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is parameter.empty or random.random() < 0.25:
            found[name] = random.choice([0, 1, 5, 20] if name in SIZES else JUNK)
    return found


def use(result: Any, random: random.Random) -> None:
    """Asks a result for everything it has."""
    assert repr(result)
    if isinstance(result, stats.IrtFit):
        result.abilities()
        result.standard_errors()
        result.bootstrap(random.choice(JUNK), bank=random.choice(JUNK), replicates=5)
    if isinstance(result, stats.ScorePlan):
        result.response(0, random.choice(JUNK))
        result.bootstrap(random.choice(JUNK), replicates=5)
    if isinstance(result, stats.Ratings):
        stats.conger_kappa(result)
        result.table(random.choice([0, 1, 2]), random.choice([0, 1, 7]))


@pytest.mark.parametrize("name", stats.__all__)
def test_junk_is_refused_or_answered(name: str) -> None:
    function = getattr(stats, name)
    constructible = not inspect.isclass(function) or "__new__" in vars(function)
    chosen = random.Random(name)
    for _ in range(CALLS if constructible else 0):
        try:
            use(function(**arguments(function, chosen)), chosen)
        except (CalibrantError, *OF_PYTHON):
            continue
