"""Turns a rubric and the verdicts of its judges into a measuring instrument."""

from . import stats
from ._calibrant import __version__
from ._errors import (
    ArgumentError,
    CalibrantError,
    FileError,
    Finding,
    InputError,
    StepError,
    UndefinedError,
)

__all__ = [
    "ArgumentError",
    "CalibrantError",
    "FileError",
    "Finding",
    "InputError",
    "StepError",
    "UndefinedError",
    "__version__",
    # statistics
    "stats",
]
