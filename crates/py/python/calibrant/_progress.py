"""How far a long call is: a line in notebooks and on terminals, nothing elsewhere."""

from __future__ import annotations

import html
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Literal

#: Seconds before anything is shown: most calls are over by then.
_PATIENCE = 0.3


class _Display:
    """One line about one call, redrawn while it runs."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._drawn = False

    def __call__(self, what: str, done: int, total: int | None) -> None:
        seconds = time.monotonic() - self._began
        if seconds >= _PATIENCE:
            self._draw(what, done, total, seconds)
            self._drawn = True

    def close(self) -> None:
        """Take the line away."""
        if self._drawn:
            self._erase()

    def _draw(self, what: str, done: int, total: int | None, seconds: float) -> None:
        raise NotImplementedError

    def _erase(self) -> None:
        raise NotImplementedError


def _words(what: str, done: int, total: int | None, seconds: float) -> str:
    counted = f"{done:,} of {total:,}" if total else f"{done:,}"
    return f"{what}: {counted}, {seconds:.0f} s" if done else f"{what}: {seconds:.0f} s"


class _Terminal(_Display):
    """A line on standard error."""

    def _draw(self, what: str, done: int, total: int | None, seconds: float) -> None:
        sys.stderr.write(f"\r\x1b[2K{_words(what, done, total, seconds)}")
        sys.stderr.flush()

    def _erase(self) -> None:
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


class _Notebook(_Display):
    """A line below the cell, through the display machinery that every front end has."""

    def __init__(self) -> None:
        super().__init__()
        self._handle: Any = None

    def _draw(self, what: str, done: int, total: int | None, seconds: float) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found, unused-ignore]

        bar = ""
        if total:
            bar = f'<progress value="{min(done, total)}" max="{total}"></progress> '
        shown = HTML(f"<span>{bar}{html.escape(_words(what, done, total, seconds))}</span>")
        if self._handle is None:
            self._handle = display(shown, display_id=True)
        else:
            self._handle.update(shown)

    def _erase(self) -> None:
        from IPython.display import HTML  # type: ignore[import-not-found, unused-ignore]

        if self._handle is not None:
            self._handle.update(HTML(""))


Progress = Callable[[str, int, int | None], object]

_chosen: Progress | Literal[False] | None = None


def set_progress(progress: Progress | Literal[False] | None = None) -> None:
    """Choose how long calls show that they run; a call's own ``progress`` comes first.

    Parameters
    ----------
    progress : callable or False, optional
        None shows a line in notebooks and on terminals, and nothing elsewhere; False shows nothing. A callable is called with what is
        done (``"fit"``), how many steps of it are over (iterations, replicates or rows), and of how many, or None where that is not
        known. An exception that it raises ends the call.

    See Also
    --------
    read_verdicts : has a ``progress`` of its own.
    """
    global _chosen
    _chosen = progress


def automatic() -> _Display | Progress | None:
    """The display for where the program runs, or None where nobody looks."""
    if _chosen is not None:
        return _chosen or None
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and hasattr(shell, "kernel"):
        return _Notebook()
    looks = sys.stderr is not None and hasattr(sys.stderr, "isatty") and sys.stderr.isatty()
    if looks and os.environ.get("TERM", "dumb") != "dumb" and os.environ.get("CI", "") in ("", "0", "false"):
        return _Terminal()
    return None
