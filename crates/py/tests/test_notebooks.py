"""The notebooks run from their first cell to their last, and say what they said when they were written.

``CALIBRANT_BLESS=1`` writes their outputs anew; look at them before you keep them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def told(notebook: Any) -> list[tuple[int, str, str]]:
    """What the cells show: the number of the cell, the kind of content, and the content."""
    shown = []
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                shown.append((number, output.name, output.text))
            else:
                shown += [(number, kind, content) for kind, content in sorted(output.get("data", {}).items())]
    return shown


def test_there_are_two() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["first-bank", "inspect-log"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    written = nbformat.read(path, as_version=4)
    for folder in ("examples", "testdata"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    ran = NotebookClient(
        nbformat.from_dict({**written, "cells": [dict(cell) for cell in written.cells]}),
        timeout=120,
        resources={"metadata": {"path": str(tmp_path)}},
        record_timing=False,
    ).execute()
    if os.environ.get("CALIBRANT_BLESS") == "1":
        ran.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
        nbformat.write(ran, path)
        return
    assert told(written), f"{path.name} shows nothing"
    assert told(ran) == told(written)
    assert str(tmp_path) not in path.read_text(encoding="utf-8")
