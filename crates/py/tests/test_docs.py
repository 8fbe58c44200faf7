"""Every block of Python in README.md and in docs/python*.md runs as it stands and prints what stands below it.

The blocks of a file are one program in a folder of its own. A block ```` ```text ```` right after a block ```` ```python ```` is what that
prints; a block of `>>>` holds its own answers.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("python*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of Python: the line it begins in, its text, and what it prints, where that is told."""

    line: int
    code: str
    printed: str | None


def blocks(text: str) -> list[Block]:
    found = []
    for fence in FENCE.finditer(text):
        if fence[1] == "python":
            found.append(Block(text.count("\n", 0, fence.start()) + 2, fence[2], fence[3]))
    return found


def run(block: Block, path: Path, names: dict[str, object]) -> str:
    """What the block prints; lines are counted as in the file."""
    if block.code.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block.code, names, path.name, str(path), block.line - 1)
        test.globs = names
        report = io.StringIO()
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
        runner.run(test, out=report.write, clear_globs=False)
        assert runner.failures == 0, report.getvalue()
        return ""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile("\n" * (block.line - 1) + block.code, str(path), "exec"), names)
    return printed.getvalue()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_the_blocks_of_a_document_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = blocks(path.read_text(encoding="utf-8"))
    assert found, f"{path.name} has no block of Python"
    for folder in ("examples", "testdata"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in found:
        printed = run(block, path, names)
        if block.printed is not None:
            assert printed == block.printed, f"{path.name}:{block.line} prints something else"


def test_a_block_knows_what_it_prints() -> None:
    text = "# A\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n```python\nx = 1\n```\n\n```sh\nls\n```\n"
    assert blocks(text) == [Block(4, "print(1)\n", "1\n"), Block(12, "x = 1\n", None)]
