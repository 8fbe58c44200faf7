"""Files of other tools, in and out."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import calibrant
import pandas
import pytest

FIXTURES = Path(__file__).resolve().parents[3] / "testdata" / "formats"
DESK = FIXTURES / "promptfoo" / "desk.json"
MATRIX = "system,names_breath|hiccups,no_drug|hiccups,aloe|sunburn\nada,1,1,1\nbea,1,0,NA\n"


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "matrix.csv"
    path.write_text(MATRIX)
    return path


def test_a_file_is_read_into_objects(matrix: Path) -> None:
    found = calibrant.import_files(matrix, judge="panel")
    assert found.counts == {"criteria": 3, "queries": 0, "responses": 0, "verdicts": 5}
    assert (found.systems, found.judges, found.statuses) == (("ada", "bea"), ("panel",), {"ok": 5})
    assert [file.form for file in found.files] == ["wide"]
    assert found.files[0].chosen == "structure"
    assert found.verdicts is not None and found.verdict_rows is not None and found.rubric is not None
    rows = found.verdict_rows.to_dict()
    assert rows["system"] == ["ada", "ada", "ada", "bea", "bea"]
    assert rows["label"] == [1.0, 1.0, 1.0, 1.0, 0.0]
    assert rows["reason"] == [None] * 5
    assert {len(column) for column in rows.values()} == {5}
    assert len(found.verdicts) == 5 and found.verdicts.judges == ["panel"]
    assert sorted(found.rubric.criteria["criterion"]) == ["aloe", "names_breath", "no_drug"]
    assert found.queries is None


def test_what_is_read_goes_into_steps_as_the_folder_does(tmp_path: Path) -> None:
    logs = [FIXTURES / "inspect" / f"desk-{system}.eval" for system in ("alpha", "beta")]
    found = calibrant.import_files(*logs)
    assert found.verdicts is not None and found.rubric is not None
    in_memory = calibrant.run(found.verdicts, rubric=found.rubric)
    calibrant.import_files(*logs, out=tmp_path / "desk")
    on_disk = calibrant.run(tmp_path / "desk" / "verdicts.jsonl", rubric=tmp_path / "desk" / "rubric.yaml")
    assert in_memory.scores.systems.to_dict() == on_disk.scores.systems.to_dict()
    assert in_memory.fit.items.to_dict() == on_disk.fit.items.to_dict()


def test_its_parts_are_frames() -> None:
    found = calibrant.import_files(DESK)
    assert found.verdicts is not None and found.responses is not None
    frame = pandas.DataFrame.from_arrow(found.verdicts)
    assert len(frame) == found.counts["verdicts"]
    assert set(frame["status"]) == set(found.statuses)
    answered = pandas.DataFrame.from_arrow(found.responses)
    assert set(answered["system"]) == set(found.systems)


def test_the_folder_is_the_one_of_the_command_line(tmp_path: Path) -> None:
    found = calibrant.import_files(DESK, out=tmp_path / "python")
    assert found.verdicts is None
    assert "verdicts.jsonl" in found.written
    command = [sys.executable, "-m", "calibrant", "import", str(DESK), "--out", str(tmp_path / "shell"), "--json"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert told["verdicts"] == found.counts["verdicts"]
    for name in found.written:
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "shell" / name).read_bytes(), name


def test_a_ledger_takes_what_it_does_not_know(matrix: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "verdicts.db"
    first = calibrant.import_files(matrix, into=ledger)
    again = calibrant.import_files(matrix, into=ledger)
    assert (first.added, first.known) == (5, 0)
    assert (again.added, again.known) == (0, 5)


def test_losses_are_counted_with_reasons() -> None:
    found = calibrant.import_files(DESK)
    assert found.losses == tuple(sorted(found.losses, key=lambda loss: loss.what))
    assert all(loss.count > 0 and loss.why for loss in found.losses)


def test_a_wrong_file_raises_with_its_findings(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("just a note\n")
    with pytest.raises(calibrant.InputError, match="is not known here") as caught:
        calibrant.import_files(note)
    assert [finding.id for finding in caught.value.findings] == ["unknown-form"]
    with pytest.raises(calibrant.InputError) as caught:
        calibrant.import_files(DESK, form="lm-eval")
    assert caught.value.findings[-1].id == "other-form"
    with pytest.raises(calibrant.InputError, match="cannot read"):
        calibrant.import_files(tmp_path / "missing.json")
    with pytest.raises(calibrant.InputError, match="nothing to import"):
        calibrant.import_files()


def test_wrong_arguments_are_named(matrix: Path, tmp_path: Path) -> None:
    for arguments, name in [
        ({"form": "wyde"}, "form"),
        ({"layout": "diagonal"}, "layout"),
        ({"out": tmp_path / "a", "into": tmp_path / "b"}, "into"),
    ]:
        with pytest.raises(calibrant.ArgumentError) as caught:
            calibrant.import_files(matrix, **arguments)  # type: ignore[arg-type]
        assert caught.value.argument == name
    with pytest.raises(calibrant.InputError, match="given 2 times"):
        calibrant.import_files(matrix, system=["a", "b"])


def test_progress_is_told_and_its_exception_surfaces(matrix: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    calibrant.import_files(matrix, progress=lambda what, done, total: told.append((what, done, total)))
    assert told[0] == (str(matrix), 0, None)

    def raising(what: str, done: int, total: int | None) -> None:
        raise LookupError(what)

    with pytest.raises(LookupError):
        calibrant.import_files(matrix, out=tmp_path / "out", progress=raising)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["matrix.csv"]


def test_ctrl_c_ends_an_import_and_leaves_nothing(tmp_path: Path) -> None:
    rows = "".join(f"s{row},{','.join('01'[(row * column) % 2] for column in range(400))}\n" for row in range(4000))
    header = "system," + ",".join(f"i{column}" for column in range(400)) + "\n"
    (tmp_path / "large.csv").write_text(header + rows)
    program = textwrap.dedent("""
        import _thread, threading, time, calibrant
        threading.Timer(0.3, _thread.interrupt_main).start()
        began = time.monotonic()
        try:
            calibrant.import_files("large.csv", form="wide", out="out")
            print("done")
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - began)
    """)
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True)
    word, seconds = ran.stdout.split()
    assert word == "interrupted"
    assert float(seconds) < 3
    assert [path.name for path in tmp_path.iterdir()] == ["large.csv"]


def test_a_pool_goes_out_as_it_came(tmp_path: Path) -> None:
    pool = FIXTURES / "healthbench" / "pool.jsonl"
    calibrant.import_files(pool, out=tmp_path / "first")
    project = tmp_path / "first"
    losses = calibrant.export(
        "healthbench",
        tmp_path / "again.jsonl",
        rubric=project / "criteria.jsonl",
        queries=project / "queries.jsonl",
        responses=project / "responses.jsonl",
    )
    assert losses == ()
    calibrant.import_files(tmp_path / "again.jsonl", out=tmp_path / "second")
    for name in ["criteria.jsonl", "queries.jsonl", "responses.jsonl"]:
        assert (project / name).read_bytes() == (tmp_path / "second" / name).read_bytes(), name


def test_labels_go_out_as_a_matrix(matrix: Path, tmp_path: Path) -> None:
    calibrant.import_files(matrix, out=tmp_path / "project")
    calibrant.export("wide", tmp_path / "labels.csv", verdicts=tmp_path / "project" / "verdicts.jsonl")
    rows = (tmp_path / "labels.csv").read_text().splitlines()
    assert len(rows) == 3 and "NA" in rows[2]
    with pytest.raises(calibrant.InputError, match="holds something else"):
        calibrant.export("wide", matrix, verdicts=tmp_path / "project" / "verdicts.jsonl")
    with pytest.raises(calibrant.InputError, match="cannot do without a rubric"):
        calibrant.export("promptfoo-config", tmp_path / "config.yaml")
    with pytest.raises(calibrant.ArgumentError):
        calibrant.export("wide", tmp_path / "x.csv", parameters="logistic")  # type: ignore[arg-type]


def test_a_notebook_shows_what_was_lost(matrix: Path) -> None:
    hostile = matrix.with_name("<b>.csv")
    hostile.write_text(MATRIX)
    page = calibrant.import_files(hostile)._repr_html_()
    assert "criteria without a text" in page
    assert "<b>" not in page
