"""Ctrl-C ends long calculations, not only reading, and the process goes on."""

import _thread
import threading
import time
from collections.abc import Callable
from typing import Any

import calibrant
import numpy
import pytest
from calibrant import stats

#: Seconds after the interruption within which a call ends; a replicate of these takes milliseconds, and a busy machine some more.
SOON = 5.0


def fit() -> Any:
    panel = calibrant.simulate_panel(systems=12, queries=300, criteria=6, judges=3)
    return lambda: calibrant.run(panel, interval="cluster-refit", replicates=90_000)


def bootstrap() -> Any:
    ratings = numpy.random.default_rng(1).integers(0, 5, size=(20_000, 12), dtype=numpy.uint8)
    return lambda: stats.krippendorff_alpha(ratings, interval="bootstrap", replicates=90_000)


@pytest.mark.parametrize("prepare", [fit, bootstrap])
def test_ctrl_c_ends_a_calculation_soon(prepare: Callable[[], Callable[[], object]]) -> None:
    call = prepare()
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.monotonic())
        _thread.interrupt_main()

    timer = threading.Timer(0.5, press)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
            pytest.fail("the calculation was over before it was interrupted: make it longer")
    finally:
        timer.cancel()
    assert pressed and time.monotonic() - pressed[0] < SOON
    # The next call is not interrupted by the last one.
    assert stats.krippendorff_alpha([[1, 1], [0, 0], [1, 0]]).value < 1
