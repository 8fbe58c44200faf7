"""Steps take the frames of every library, and give the same artifact for the same rows, but for the hash that names where they come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import calibrant
import duckdb
import pandas
import polars
import pyarrow.csv
import pytest

CLINICAL = Path(__file__).resolve().parents[3] / "examples" / "clinical"
TABLE = CLINICAL / "verdicts.csv"
RUBRIC = CLINICAL / "rubric.yaml"
FRAMES: dict[str, Callable[[], object]] = {
    "pandas": lambda: pandas.read_csv(TABLE),
    "polars": lambda: polars.read_csv(TABLE),
    "pyarrow": lambda: pyarrow.csv.read_csv(TABLE),
    "duckdb": lambda: duckdb.sql(f"select * from read_csv('{TABLE}')"),
    "table": lambda: calibrant.read_verdicts(TABLE).to_table(),
}


def said(artifact: calibrant.Artifact) -> dict[str, object]:
    return {key: value for key, value in artifact.to_dict().items() if key != "inputs"}


@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_is_what_its_file_is(library: str) -> None:
    frame = FRAMES[library]()
    from_frame, from_file = (calibrant.run(verdicts, RUBRIC, replicates=50) for verdicts in (frame, TABLE))
    assert said(from_frame.calibration) == said(from_file.calibration)
    assert said(from_frame.scores) == said(from_file.scores)
    assert len(from_frame.scores.systems) == 4


def test_results_are_frames_of_every_library() -> None:
    run = calibrant.run(pandas.read_csv(TABLE), RUBRIC, replicates=50)
    systems = run.scores.systems
    names = systems.to_dict()["system"]
    assert pandas.DataFrame.from_arrow(systems)["system"].tolist() == names
    assert polars.DataFrame(systems)["system"].to_list() == names
    assert pyarrow.table(systems)["system"].to_pylist() == names
    assert [row[0] for row in duckdb.sql("select system from systems").fetchall()] == names
