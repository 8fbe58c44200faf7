"""What all tests in Python stand on."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def listens_to_ctrl_c() -> Iterator[None]:
    """A program started in the background of a shell does not listen to Ctrl-C, nor do its children: then nothing would be pressed."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
