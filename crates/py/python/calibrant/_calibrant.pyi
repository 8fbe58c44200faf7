from collections.abc import Callable, Sequence
from typing import Any

__version__: str

def main(arguments: Sequence[str]) -> int: ...

# Files of other tools.
def import_rows(
    paths: Sequence[str],
    form: str | None,
    systems: Sequence[str],
    judges: Sequence[str],
    layout: str,
    progress: Callable[[str, int, int | None], object] | None,
) -> tuple[str, dict[str, dict[str, list[Any]]]]: ...
def import_to(
    paths: Sequence[str],
    form: str | None,
    systems: Sequence[str],
    judges: Sequence[str],
    layout: str,
    out: str | None,
    into: str | None,
    progress: Callable[[str, int, int | None], object] | None,
) -> str: ...
def export_files(
    form: str,
    path: str,
    rubric: str | None,
    queries: str | None,
    responses: str | None,
    verdicts: Sequence[str],
    folder: str | None,
    system: str | None,
    judge: str | None,
    parameters: str | None,
    scale: str | None,
) -> str: ...
