"""The Python door, tested as a user gets it. From the folder of the repository, with the standard library only:

    python3 checks/python.py prepare         environments with the packages that the tests need
    python3 checks/python.py test COUNTS     the wheel, built, installed, and tried; `passed failed` goes into the file COUNTS

`.venv` has what the tests in Python import, `.venv-formats` the packages whose files we read and write, and a third environment, made anew
each time, has the wheel and numpy alone. A line for each test that was skipped goes to the file that $CALIBRANT_SKIP_LOG names.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import xml.etree.ElementTree
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

ROOT = pathlib.Path(__file__).resolve().parents[1]
ENVIRONMENTS = {
    ROOT / ".venv": ROOT / "checks" / "requirements.txt",
    ROOT / ".venv-formats": ROOT / "checks" / "formats" / "requirements.txt",
}
TESTS, FORMATS = (folder / "bin" / "python" for folder in ENVIRONMENTS)


class Counts:
    """What passed, failed and was skipped so far."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def add(self, what: str, holds: bool) -> None:
        print(f"{what}: {'ok' if holds else 'FAILED'}", flush=True)
        self.passed += holds
        self.failed += not holds

    def skip(self, what: str) -> None:
        log = os.environ.get("CALIBRANT_SKIP_LOG")
        print(f"skipped: {what}", flush=True)
        if log:
            with open(log, "a", encoding="utf-8") as file:
                file.write(what + "\n")


def run(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], cwd=ROOT, text=True, **options)  # type: ignore[call-overload]


def output(*command: object) -> str:
    """What a command prints; nothing where it fails, whose reason then stands on the terminal."""
    done = run(*command, stdout=subprocess.PIPE)
    return done.stdout if done.returncode == 0 else ""


def prepare(folder: pathlib.Path, packages: pathlib.Path) -> None:
    """An environment with exactly the packages of the list; left alone where it has them already."""
    wanted = hashlib.sha256(packages.read_bytes() + sys.version.encode()).hexdigest()
    stamp = folder / "packages.sha256"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    start = time.monotonic()
    venv.create(folder, clear=True, with_pip=True)
    pip(folder / "bin" / "python", "--no-deps", "--requirement", packages)
    stamp.write_text(wanted)
    print(f"{folder.name}: {time.monotonic() - start:.0f} s", flush=True)


def pip(python: pathlib.Path, *arguments: object) -> None:
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments, check=True)


def target() -> pathlib.Path:
    """Cargo's folder for what it builds."""
    told = run("cargo", "metadata", "--format-version=1", "--no-deps", "--offline", stdout=subprocess.PIPE, check=True)
    return pathlib.Path(json.loads(told.stdout)["target_directory"])


def build() -> pathlib.Path:
    """The wheel, of the profile in which the tests in Rust are compiled."""
    folder = target() / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    run(TESTS, "-m", "maturin", "build", "--quiet", "--locked", "--profile", "dev", "--interpreter", TESTS, "--out", folder, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def alone(wheel: pathlib.Path, counts: Counts) -> None:
    """The wheel where nothing is but numpy."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        venv.create(folder / "venv", with_pip=True)
        python, program = (folder / "venv" / "bin" / name for name in ("python", "calibrant"))
        pip(python, "--constraint", ENVIRONMENTS[ROOT / ".venv"], wheel)
        packages = set(output(python, "-m", "pip", "freeze").replace(" @", "==").split("\n"))
        counts.add("installed with numpy alone", {line.split("==")[0] for line in packages if line} == {"calibrant", "numpy"})
        version = output(python, "-c", "import calibrant, calibrant.stats; print(calibrant.__version__)").strip()
        counts.add("imports", version != "" and wheel.name.startswith(f"calibrant-{version}-"))
        counts.add("calibrant --version", output(program, "--version").strip() == f"calibrant {version}")
        demo = folder / "demo"
        ran = run(python, "-m", "calibrant", "demo", "--quiet", "--out", demo, stdout=subprocess.DEVNULL)
        counts.add("python -m calibrant demo", ran.returncode == 0 and (demo / "report.html").exists())
        again = run(TESTS, "checks/recompute.py", demo)
        counts.add("fit and scores of the demo, recomputed with numpy", again.returncode == 0)


def pytest(counts: Counts) -> None:
    """The tests of crates/py/tests, counted by the report they write."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        status = run(TESTS, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", report, "crates/py/tests").returncode
        if not report.exists():
            counts.add("tests in Python", False)
            return
        cases = list(xml.etree.ElementTree.parse(report).getroot().iter("testcase"))
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = [case for case in cases if case.find("skipped") is not None]
    for case in skipped:
        reason = case.find("skipped").get("message", "")  # type: ignore[union-attr]
        counts.skip(f"{case.get('classname')}::{case.get('name')}: {reason}")
    counts.passed += len(cases) - failed - len(skipped)
    counts.failed += failed
    if status != 0 and failed == 0:
        counts.add("tests in Python", False)


def formats(counts: Counts) -> None:
    """What other packages write is read here, and what is written here they read.

    Each check says which package, and ends with 0, with 1, or with 2 where its package is absent. promptfoo is no package of Python and takes
    1.4 GB: its check runs where $CALIBRANT_PROMPTFOO names the folder in which it is installed.
    """
    program = TESTS.parent / "calibrant"
    for check in sorted((ROOT / "checks" / "formats").glob("*.py")):
        given = os.environ.get("CALIBRANT_PROMPTFOO") if check.stem == "promptfoo" else program
        if given:
            counts.add(str(check.relative_to(ROOT)), run(FORMATS, check, given).returncode == 0)
        else:
            print(f"{check.relative_to(ROOT)}: run by hand, or with CALIBRANT_PROMPTFOO=FOLDER", flush=True)


def test(counts: Counts) -> None:
    wheel = timed("build", build)
    timed("alone", lambda: alone(wheel, counts))
    pip(TESTS, "--force-reinstall", "--no-deps", wheel)
    timed("pytest", lambda: pytest(counts))
    timed("formats", lambda: formats(counts))


def timed(what: str, part: Callable[[], T]) -> T:
    print(f"== python: {what}", file=sys.stderr, flush=True)
    start = time.monotonic()
    result = part()
    print(f"python: {what} took {time.monotonic() - start:.0f} s", flush=True)
    return result


def main(arguments: list[str]) -> int:
    match arguments:
        case ["prepare"]:
            for folder, packages in ENVIRONMENTS.items():
                prepare(folder, packages)
            return 0
        case ["test", report]:
            counts = Counts()
            try:
                test(counts)
            except subprocess.CalledProcessError as error:
                counts.add(" ".join(error.cmd), False)
            pathlib.Path(report).write_text(f"{counts.passed} {counts.failed}\n", encoding="utf-8")
            return 1 if counts.failed else 0
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
