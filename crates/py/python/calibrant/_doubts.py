"""Doubts about a result, each with what to do about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Doubt:
    """A reason to doubt a result, with the next action.

    Attributes
    ----------
    id : str
        A stable name in kebab case, the same as in artifacts.
    message : str
        What to doubt, with the numbers of the case.
    action : str
        What to do about it.
    severity : str
        ``"grave"``: the numbers may not mean what they seem to mean; ``"limits"``: some conclusions do not hold; ``"note"``: worth
        knowing.
    """

    id: str
    message: str
    action: str
    severity: str

    def __str__(self) -> str:
        return f"{self.message}\n  next: {self.action}"
