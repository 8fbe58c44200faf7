"""Arrays of every kind give one answer, and wrong ones say what is wrong."""

import threading
import time
from typing import Any

import numpy as np
import pytest
from calibrant import ArgumentError, UndefinedError, stats
from hypothesis import given, settings
from hypothesis import strategies as st

MISSING = 255


@st.composite
def panels(draw: st.DrawFn) -> Any:
    """Codes of 2 to 5 judges on 2 to 30 units and up to 4 levels, with gaps; two levels occur."""
    judges, units = draw(st.integers(2, 5)), draw(st.integers(2, 30))
    code = st.sampled_from([0, 1, 2, 3, MISSING])
    codes = draw(st.lists(code, min_size=judges * units, max_size=judges * units))
    array = np.array(codes, dtype=np.uint8).reshape(units, judges)
    # A unit of two judges who differ, so that alpha is defined.
    array[0, :2] = [0, 1]
    return array


def numbers(codes: Any) -> Any:
    return np.where(codes == MISSING, np.nan, codes.astype(float))


def forms(codes: Any) -> dict[str, Any]:
    """One panel in every form that labels come in."""
    floats = numbers(codes)
    wide = np.zeros((codes.shape[0], 2 * codes.shape[1]), dtype=np.uint8)
    wide[:, ::2] = codes
    shifted = np.frombuffer(b"\0" + floats.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(floats.shape)
    return {
        "codes in place": codes,
        "codes by column": np.asfortranarray(codes),
        "every other column": wide[:, ::2],
        "float64": floats,
        "float32": floats.astype(np.float32),
        "byte-swapped": floats.astype(">f8"),
        "misaligned": shifted,
        "by column": np.asfortranarray(floats),
        "masked": np.ma.masked_array(codes.astype(int), mask=codes == MISSING),
        "lists": [[None if np.isnan(x) else x for x in row] for row in floats.tolist()],
        "read-only": read_only(codes),
        "a subclass": codes.view(Subclass),
        "frame": Frame(floats),
    }


class Subclass(np.ndarray[Any, Any]):
    """As memory maps are."""


class Frame:
    """What data frames are to numpy."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.values if dtype is None else self.values.astype(dtype)


def read_only(codes: Any) -> Any:
    codes = codes.copy()
    codes.flags.writeable = False
    return codes


@settings(max_examples=60, deadline=None)
@given(panels())
def test_every_form_of_labels_gives_one_answer(codes: Any) -> None:
    levels = np.arange(4)
    expected = stats.krippendorff_alpha(codes, difference="ordinal", levels=levels)
    for name, form in forms(codes).items():
        found = stats.krippendorff_alpha(form, difference="ordinal", levels=levels)
        assert found.value == expected.value, name
        assert found.low == expected.low, name


@settings(max_examples=60, deadline=None)
@given(panels())
def test_levels_that_occur_are_found(codes: Any) -> None:
    occurring = np.unique(codes[codes != MISSING])
    for form in (codes, numbers(codes)):
        counted = stats.Ratings(form)
        assert counted.levels.tolist() == occurring.tolist()
        assert float(stats.gwet_ac1(form)) == float(stats.gwet_ac1(form, levels=occurring))


@settings(max_examples=60, deadline=None)
@given(panels(), st.randoms(use_true_random=False))
def test_the_order_of_judges_and_units_is_irrelevant(codes: Any, random: Any) -> None:
    judges, units = list(range(codes.shape[1])), list(range(codes.shape[0]))
    random.shuffle(judges)
    random.shuffle(units)
    shuffled = codes[np.ix_(units, judges)]
    for coefficient in (stats.krippendorff_alpha, stats.gwet_ac1, stats.percent_agreement):
        assert coefficient(shuffled).value == coefficient(codes).value


@settings(max_examples=60, deadline=None)
@given(panels())
def test_counts_and_two_lists_are_other_ways_to_say_the_same(codes: Any) -> None:
    levels = np.arange(4)
    counts = np.stack([(codes == level).sum(axis=1) for level in levels], axis=1)
    from_counts = stats.Ratings.from_counts(counts, levels=levels)
    assert float(stats.gwet_ac1(from_counts)) == float(stats.gwet_ac1(codes, levels=levels))
    pair = codes[:, :2]
    table = stats.Ratings(pair, levels=levels).table()
    for first, second in ((pair[:, 0], pair[:, 1]), tuple(numbers(pair).T)):
        assert stats.Ratings(first, second, levels=levels).table().tolist() == table.tolist()
    assert stats.cohen_kappa(pair, levels=levels).value == stats.cohen_kappa(pair[:, 0], pair[:, 1], levels=levels).value


def test_booleans_are_the_labels_0_and_1() -> None:
    labels = np.array([[True, True], [False, True], [False, False], [True, True]])
    assert float(stats.cohen_kappa(labels)) == float(stats.cohen_kappa(labels.astype(float)))


def test_large_tables_have_the_answer_of_small_ones() -> None:
    random = np.random.default_rng(1)
    codes = random.integers(0, 5, (100_000, 5), dtype=np.uint8)
    codes[random.random(codes.shape) < 0.1] = MISSING
    expected = stats.krippendorff_alpha(codes, difference="interval")
    for form in (numbers(codes), np.asfortranarray(codes), np.where(codes == MISSING, MISSING, codes)):
        assert stats.krippendorff_alpha(form, difference="interval").value == expected.value
    gaps = stats.krippendorff_alpha(numbers(codes) * 10, difference="nominal")
    assert gaps.value == stats.krippendorff_alpha(codes).value


def test_a_level_that_comes_late_or_beside_a_gap_is_found() -> None:
    codes = np.zeros((200_000, 2), dtype=np.uint8)
    codes[::2] = 1
    codes[-1] = [3, MISSING]
    assert stats.Ratings(codes).levels.tolist() == [0, 1, 3]
    assert stats.Ratings(codes[:, 0], codes[:, 1]).levels.tolist() == [0, 1, 3]
    codes[-2] = [2, MISSING]
    assert stats.Ratings(codes[:, 0].copy(), codes[:, 1].copy()).levels.tolist() == [0, 1, 2, 3]


def test_bootstraps_follow_their_seed() -> None:
    labels = [[0, 0, 1], [1, 1, 1], [0, 1, 0], [0, 0, 0]] * 10
    first, again, other = (
        stats.fleiss_kappa(labels, interval="bootstrap", replicates=200, seed=seed) for seed in (1, 1, 2)
    )
    assert (first.low, first.high, first.standard_error) == (again.low, again.high, again.standard_error)
    assert first.low != other.low
    assert first.method == "bootstrap"
    assert first.replicates is not None and first.replicates.shape == (200,)


def test_what_is_undefined_says_why() -> None:
    with pytest.raises(UndefinedError) as error:
        stats.cohen_kappa([1, 1, 1], [1, 1, 1])
    assert error.value.reason == "one_label"
    found = stats.cohen_kappa([0, 1, 0, 1], [0, 1, 0, 1])
    assert (found.value, found.standard_error, found.low) == (1.0, None, None)
    assert found.reasons == {"standard_error": "no_spread", "low": "no_spread", "high": "no_spread"}
    curve = stats.FlipModel(0.0).kappa_curve([0.0, 0.5])
    assert np.isnan(curve[0]) and curve[1] == 1.0  # type: ignore[index]


WRONG: list[tuple[str, Any, str]] = [
    ("one row of labels", lambda: stats.fleiss_kappa([1, 2, 3]), "shape"),
    ("words", lambda: stats.fleiss_kappa([["yes", "no"]]), "array of numbers"),
    ("a label that is no level", lambda: stats.fleiss_kappa([[1, 7]], levels=[0, 1]), "7"),
    ("a code that is no level", lambda: stats.gwet_ac1(np.array([[1, 7]], dtype=np.uint8), levels=[0, 1]), "7"),
    ("too many levels", lambda: stats.fleiss_kappa(np.arange(600.0).reshape(300, 2)), "255"),
    ("infinite", lambda: stats.fleiss_kappa([[1, np.inf]]), "infinite"),
    ("levels in no order", lambda: stats.fleiss_kappa([[1, 0]], levels=[1, 0]), "ascending"),
    ("a level of no interval", lambda: stats.fleiss_kappa([[1, 0]], level=1.5), "level"),
    ("an unknown interval", lambda: stats.fleiss_kappa([[1, 0]], interval="exact"), "analytic"),  # type: ignore[arg-type]
    ("an unknown difference", lambda: stats.krippendorff_alpha([[1, 0]], difference="x"), "nominal"),  # type: ignore[arg-type]
    ("a ratio below 0", lambda: stats.krippendorff_alpha([[-1, 0]], difference="ratio"), "ratio"),
    ("three judges", lambda: stats.cohen_kappa([[1, 0, 1]]), "two judges"),
    ("lists of two lengths", lambda: stats.cohen_kappa([1, 0], [1]), "1"),
    ("levels of counted labels", lambda: stats.cohen_kappa(stats.Ratings([[1, 0]]), levels=[0, 1]), "counted"),
    ("who said what of counts", lambda: stats.conger_kappa(stats.Ratings.from_counts([[1, 1]])), "who gave"),
    ("a judge that is not there", lambda: stats.Ratings([[1, 0]]).table(0, 5), "5"),
    ("weights of another scale", lambda: stats.fleiss_kappa([[1, 0]], weights=np.eye(3)), "3"),
    ("weights not symmetric", lambda: stats.fleiss_kappa([[1, 0]], weights=[[1.0, 0.5], [0.0, 1.0]]), "weight"),
    ("half a count", lambda: stats.Ratings.from_counts([[0.5, 1]]), "whole number"),
    ("a constant item", lambda: stats.fit_irt([[1, 0], [1, 1]]), "constant"),
    ("a response of two", lambda: stats.fit_irt([[2, 0], [1, 1]]), "neither 0 nor 1"),
    ("one system", lambda: stats.fit_irt([[1, 0]]), "2 systems"),
    ("no budget", lambda: stats.greedy([[1.0]], [1.0]), "budget"),
    ("a candidate too far", lambda: stats.greedy([[1.0]], [1.0], budget=1, candidates=[3]), "3"),
    ("infinite ranks", lambda: stats.ranks([1, np.nan]), "finite"),
    ("more unanimous than units", lambda: stats.measurability(3, 2), "exceed"),
    ("no square", lambda: stats.tiers([0], [[0, 1]]), "row of separated"),
    ("a system too far", lambda: stats.tiers([4], [[0]]), "4"),
    ("items out of order", lambda: stats.ScorePlan([1, 1], [1, 0]), "sort"),
    ("a value above 1", lambda: stats.ScorePlan([1]).response(0, [2]), "values"),
    ("a query too far", lambda: stats.ScorePlan([1]).response(3, [1]), "3"),
    ("too few values", lambda: stats.ScorePlan([1, 1]).query_scores([[1]]), "row of values"),
]


@pytest.mark.parametrize(("call", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_wrong_arguments_are_named(call: Any, words: str) -> None:
    with pytest.raises(ArgumentError) as error:
        call()
    assert words in str(error.value)
    assert isinstance(error.value, ValueError)


def test_results_show_themselves() -> None:
    found = stats.gwet_ac1([[0, 0], [1, 1], [0, 1]])
    assert repr(found).startswith("Coefficient(value=")
    assert list(found._asdict())[:2] == ["value", "standard_error"]
    assert "<th>value</th>" in found._repr_html_()
    with pytest.raises(AttributeError):
        found.value = 1.0  # type: ignore[misc]


def test_other_threads_run_during_long_calls() -> None:
    panel = stats.simulate(systems=15, queries=60, criteria=5)
    fit = stats.fit_irt(panel.truth[:, np.ptp(panel.truth, axis=0) > 0])
    ticks = 0
    over = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not over.is_set():
            ticks += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    fit.bootstrap(method="parametric", replicates=60)
    over.set()
    counter.join()
    assert ticks > 5
