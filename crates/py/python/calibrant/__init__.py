"""Turns a rubric and the verdicts of its judges into a measuring instrument."""

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

# Files of other tools.
from ._formats import Import, ImportedFile, Loss, export, import_files

__all__ = [
    "ArgumentError",
    "CalibrantError",
    "FileError",
    "Finding",
    "InputError",
    "StepError",
    "UndefinedError",
    "__version__",
    # Files of other tools.
    "Import",
    "ImportedFile",
    "Loss",
    "export",
    "import_files",
]
