"""What the wheel carries, read from the package that is installed."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import calibrant

INSTALLED = importlib.metadata.distribution("calibrant")
FILES = {str(path) for path in INSTALLED.files or []}


def test_metadata_says_what_it_is() -> None:
    metadata = INSTALLED.metadata
    assert metadata["Name"] == "calibrant"
    assert metadata["Version"] == calibrant.__version__
    assert metadata["License-Expression"] == "MIT OR Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["Description-Content-Type"].startswith("text/markdown")
    assert INSTALLED.requires == ["numpy>=1.26"]


def test_it_carries_types_and_licences_and_nothing_else() -> None:
    here = Path(__file__).resolve().parents[1] / "python" / "calibrant"
    source = {f"calibrant/{path.relative_to(here)}" for path in here.rglob("*") if path.suffix in {".py", ".pyi"} or path.name == "py.typed"}
    native = {name for name in FILES if name.startswith("calibrant/_calibrant.") and name.endswith(".so")}
    licences = {name for name in FILES if ".dist-info/licenses/LICENSE-" in name}
    assert len(native) == 1 and "abi3" in native.pop()
    assert {Path(name).name for name in licences} == {"LICENSE-MIT", "LICENSE-APACHE"}
    carried = {name for name in FILES if name.startswith("calibrant/") and not name.endswith((".pyc", ".so"))}
    assert carried == source
    other = {name.split("/")[0] for name in FILES if not name.startswith(("calibrant/", "../"))}
    assert other == {f"calibrant-{calibrant.__version__}.dist-info"}


def test_no_other_package_is_imported_with_it() -> None:
    """Frames, notebooks and progress bars are the business of those who have them."""
    look = "import sys, calibrant, calibrant.stats; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-I", "-c", look], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "calibrant" in loaded
    assert not loaded & {"pandas", "polars", "pyarrow", "duckdb", "IPython", "ipywidgets", "tqdm"}


def test_the_command_line_ends_with_its_code() -> None:
    done = subprocess.run([sys.executable, "-m", "calibrant", "fit", "nothing.csv"], capture_output=True, text=True)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    (entry,) = INSTALLED.entry_points
    assert (entry.group, entry.name) == ("console_scripts", "calibrant")
