"""The types that the package declares: stubs are what the module has, and a program that uses them is clean under ``mypy --strict``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def mypy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_stubs_are_what_the_module_has(tmp_path: Path) -> None:
    # PyO3 lists the names of a native module in `__all__`; the stub lists them once, by declaring them.
    allowed = tmp_path / "allowed"
    allowed.write_text("calibrant\\._calibrant\\.__all__\n")
    done = mypy(tmp_path, "mypy.stubtest", "calibrant", "--allowlist", str(allowed))
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program_is_clean(tmp_path: Path) -> None:
    done = mypy(tmp_path, "mypy", "--strict", "--cache-dir", str(tmp_path), str(HERE / "typed_program.py"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_mistake_is_seen(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import calibrant\n\ncalibrant.read_verdicts('a.csv').systems.append(1)\n")
    done = mypy(tmp_path, "mypy", "--strict", "--cache-dir", str(tmp_path), str(program))
    assert done.returncode == 1 and "arg-type" in done.stdout, done.stdout


def test_the_program_runs(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, HERE / "typed_program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") > 5
