"""What can go wrong, as exceptions with fields."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One mistake in a file or table: what happened, where, and what to do next.

    Attributes
    ----------
    id : str
        A stable name in kebab case.
    severity : str
        ``"error"``, ``"warning"`` or ``"note"``.
    message : str
        What happened.
    help : str
        What to do next.
    file : str or None
        The file as it was named; None for a finding without a place.
    line, column : int or None
        Where, from 1. A table in memory has rows instead of lines.
    text : str or None
        The line it points at.
    """

    id: str
    severity: str
    message: str
    help: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    text: str | None = None


class CalibrantError(Exception):
    """Anything this package refuses.

    Attributes
    ----------
    message : str
        What happened.
    help : str or None
        What to do next.
    """

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message if help is None else f"{message}\n  help: {help}")
        self.message = message
        self.help = help


class ArgumentError(CalibrantError, ValueError):
    """An argument that no data could justify: out of range, not finite, or of the wrong shape.

    Attributes
    ----------
    argument : str or None
        Which one, in words.
    """

    def __init__(self, message: str, help: str | None = None, argument: str | None = None) -> None:
        super().__init__(message, help)
        self.argument = argument


class UndefinedError(CalibrantError, ArithmeticError):
    """A statistic that these data do not define: a result with a reason, never 0, 1 or NaN.

    Attributes
    ----------
    reason : str
        A stable word, the same as in artifacts.
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class InputError(CalibrantError, ValueError):
    """Mistakes in files or tables, all at once, each with its place.

    Attributes
    ----------
    findings : tuple of Finding
        The first of them.
    more : int
        How many more there are.
    """

    def __init__(self, message: str, findings: tuple[Finding, ...], more: int = 0) -> None:
        super().__init__(message)
        self.findings = findings
        self.more = more


class StepError(CalibrantError):
    """A step that has no meaning for these inputs.

    Attributes
    ----------
    reason : str
        A stable word, the same as in artifacts.
    """

    def __init__(self, message: str, help: str | None, reason: str) -> None:
        super().__init__(message, help)
        self.reason = reason


class FileError(CalibrantError, OSError):
    """A file that could not be read, or not be written; what stood there before is untouched.

    Attributes
    ----------
    path : str or None
        The file meant.
    """

    def __init__(self, message: str, help: str | None = None, path: str | None = None) -> None:
        super().__init__(message, help)
        self.path = path
