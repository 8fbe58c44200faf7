"""Turns a rubric and the verdicts of its judges into a measuring instrument."""

from . import stats
from ._calibrant import (
    # tables
    Labels,
    Queries,
    Rubric,
    Table,
    Verdicts,
    __version__,
    read_verdicts,
    # steps and artifacts
    Agreement,
    Artifact,
    Bank,
    Blocks,
    Calibration,
    Disagreements,
    Fit,
    RollUps,
    Run,
    Scores,
    SimulatedPanel,
    agree,
    assemble,
    calibrate,
    check,
    check_responses,
    consensus,
    disagreements,
    fit,
    report,
    roll_ups,
    run,
    score,
    simulate_panel,
)
from ._doubts import Doubt
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
from ._progress import set_progress

__all__ = [
    # steps and artifacts
    "Agreement",
    "Artifact",
    "Bank",
    "Blocks",
    "Calibration",
    "Disagreements",
    "Doubt",
    "Fit",
    "RollUps",
    "Run",
    "Scores",
    "SimulatedPanel",
    "agree",
    "assemble",
    "calibrate",
    "check",
    "check_responses",
    "consensus",
    "disagreements",
    "fit",
    "report",
    "roll_ups",
    "run",
    "score",
    "simulate_panel",
    # tables
    "Labels",
    "Queries",
    "Rubric",
    "Table",
    "Verdicts",
    "read_verdicts",
    # errors
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
    # Files of other tools.
    "Import",
    "ImportedFile",
    "Loss",
    "export",
    "import_files",
    # progress
    "set_progress",
]
