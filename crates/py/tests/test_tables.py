"""Tables in memory: frames of other libraries in, tables of ours out, and what is wrong with either in words."""

from __future__ import annotations

import _thread
import gc
import gzip
import io
import itertools
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any, Iterator

import calibrant
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from calibrant import ArgumentError, InputError, Rubric, Table, Verdicts

#: Two systems, two queries, two criteria and two judges, with a refusal and with text that looks like markup.
ROWS = [
    (system, query, criterion, judge, None if (query, judge) == ("q2", "ben") else float((i * 7 + j) % 3 > 0))
    for i, system in enumerate(["alpha", "<b>&beta"])
    for j, (query, criterion, judge) in enumerate(
        itertools.product(["q1", "q2"], ["cites", "tone"], ["anna", "ben"])
    )
]
COLUMNS = ["system", "query", "criterion", "judge", "label"]


def columns() -> dict[str, list[Any]]:
    data: dict[str, list[Any]] = {name: [row[at] for row in ROWS] for at, name in enumerate(COLUMNS)}
    data["status"] = ["refused" if label is None else "ok" for label in data["label"]]
    return data


def rows(frame: Any) -> list[tuple[Any, ...]]:
    """The rows of any frame, through PyArrow."""
    table = pa.table(frame)
    names = ["system", "query", "criterion", "judge", "label", "status"]
    lists = [[None if value is None else value for value in table[name].to_pylist()] for name in names]
    return sorted(zip(*lists, strict=True), key=repr)


EXPECTED = sorted(
    [(*row, "refused" if row[4] is None else "ok") for row in ROWS],
    key=repr,
)


def frames() -> dict[str, Any]:
    data = columns()
    arrow = pa.table(data)
    return {
        "pandas": pd.DataFrame(data),
        "polars": pl.DataFrame(data),
        "polars categorical": pl.DataFrame(data).with_columns(pl.col("system", "query").cast(pl.Categorical)),
        "polars enum": pl.DataFrame(data).with_columns(pl.col("judge").cast(pl.Enum(["x", "ben", "anna"]))),
        "pyarrow": arrow,
        "pyarrow large": arrow.set_column(0, "system", arrow["system"].cast(pa.large_string())),
        "pyarrow view": arrow.set_column(0, "system", arrow["system"].cast(pa.string_view())),
        "pyarrow dictionary": pa.table({name: arrow[name].combine_chunks().dictionary_encode() for name in data}),
        "pyarrow int8 codes": arrow.set_column(
            3, "judge", arrow["judge"].combine_chunks().dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
        ),
        "record batch": pa.RecordBatch.from_pydict(data),
        "cut into batches": pa.concat_tables([arrow.slice(0, 3), arrow.slice(3, 5), arrow.slice(8)]),
        "integer labels": arrow.set_column(4, "label", arrow["label"].cast(pa.int8())),
        "truth labels": arrow.set_column(4, "label", arrow["label"].cast(pa.bool_())),
        "half labels": arrow.set_column(4, "label", arrow["label"].cast(pa.float16())),
        "text labels": arrow.set_column(4, "label", pa.array(["" if x is None else str(int(x)) for x in data["label"]])),
        "duckdb": duckdb.sql("select * from arrow"),
        "ours": calibrant.Verdicts.from_table(arrow),
        "our table": calibrant.Verdicts.from_table(arrow).to_table(),
    }


@pytest.mark.parametrize("name", list(frames()))
def test_frames_are_read_as_files_are(name: str, tmp_path: Path) -> None:
    verdicts = Verdicts.from_table(frames()[name])
    assert rows(verdicts) == EXPECTED
    path = tmp_path / "verdicts.csv"
    pd.DataFrame(columns()).to_csv(path, index=False)
    assert calibrant.read_verdicts(path, progress=False).to_table().to_dict() == verdicts.to_table().to_dict()


def test_encodings_and_batches_change_no_hash() -> None:
    arrow = pa.table(columns())
    cut = pa.concat_tables([arrow.slice(0, 1), arrow.slice(1)])
    coded = pa.table({name: arrow[name].combine_chunks().dictionary_encode() for name in arrow.column_names})
    tables = [Verdicts.from_table(frame).to_table().to_dict() for frame in (arrow, cut, coded)]
    assert tables[0] == tables[1] == tables[2]


@pytest.mark.parametrize("form", ["csv", "csv.gz", "jsonl", "parquet"])
def test_files_of_every_form_say_the_same(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"verdicts.{form}"
    frame = pd.DataFrame(columns())
    if form == "csv":
        frame.to_csv(path, index=False)
    elif form == "csv.gz":
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode(), mtime=0))
    elif form == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        pq.write_table(pa.table(columns()), path)
    verdicts = calibrant.read_verdicts(path, progress=False)
    assert rows(verdicts) == EXPECTED
    assert verdicts.systems == ["<b>&beta", "alpha"]
    assert verdicts.judges == ["anna", "ben"]
    assert verdicts.criteria == ["cites", "tone"]
    assert verdicts.queries == ["q1", "q2"]
    assert len(verdicts) == len(ROWS)
    with open(path, "rb") as file:
        assert rows(calibrant.read_verdicts(file)) == EXPECTED
    assert rows(calibrant.read_verdicts(path.read_bytes())) == EXPECTED


def test_files_that_are_none() -> None:
    for thing in (3, None, pd.DataFrame(columns())):
        with pytest.raises(ArgumentError) as raised:
            calibrant.read_verdicts(thing)  # type: ignore[arg-type]
        assert raised.value.argument == "paths"
    with pytest.raises(InputError) as missing:
        calibrant.read_verdicts("there-is-no-such-file.csv")
    assert "there-is-no-such-file.csv" in missing.value.findings[0].message
    text = b"system,query,criterion,judge,label\na,q,c,j,1\nb,q,c,j,7\n"
    with pytest.raises(InputError) as wrong:
        calibrant.read_verdicts(io.BytesIO(text))
    assert (wrong.value.findings[0].file, wrong.value.findings[0].line) == ("file", 3)


def test_every_library_reads_our_tables() -> None:
    verdicts = Verdicts.from_table(pa.table(columns()))
    assert rows(pl.DataFrame(verdicts)) == EXPECTED
    assert rows(pd.DataFrame.from_arrow(verdicts)) == EXPECTED
    assert pa.schema(verdicts.to_table()).names[:2] == ["system", "query"]
    counted = duckdb.sql("select judge, count(label) from verdicts group by judge order by judge").fetchall()
    assert counted == [("anna", 8), ("ben", 4)]


def test_several_tables_are_one(tmp_path: Path) -> None:
    arrow = pa.table(columns())
    together = Verdicts.from_table(arrow.slice(0, 8), arrow.slice(8))
    assert rows(together) == EXPECTED


def test_judges_are_selected() -> None:
    verdicts = Verdicts.from_table(pa.table(columns()))
    alone = verdicts.select_judges(["anna"])
    assert alone.judges == ["anna"] and len(alone) == 8
    assert Verdicts.from_table(pa.table(columns()), judges=["anna"]).judges == ["anna"]
    with pytest.raises(ArgumentError) as raised:
        verdicts.select_judges(["carol"])
    assert raised.value.argument == "judges"


def test_columns_by_other_names() -> None:
    frame = pa.table(columns()).rename_columns(["model", "prompt_id", "criterion_id", "annotator", "met", "status"])
    named = {"system": "model", "query": "prompt_id", "criterion": "criterion_id", "judge": "annotator", "label": "met"}
    verdicts = Verdicts.from_table(frame, columns=named)
    assert rows(verdicts) == EXPECTED
    detected = verdicts.detected.to_dict()
    assert dict(zip(detected["column"], detected["role"], strict=True))["prompt_id"] == "query"


# What is wrong.


@pytest.mark.parametrize("thing", [3, None, "rows", [1, 2], {"system": ["a"]}, object(), np.zeros(3), b"x"])
def test_what_is_no_table_is_refused(thing: Any) -> None:
    with pytest.raises(ArgumentError) as raised:
        Verdicts.from_table(thing)
    assert raised.value.argument == "tables"
    assert raised.value.help


class Capsule:
    """An object that breaks its promise."""

    def __init__(self, given: Any) -> None:
        self.given = given

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.given


def test_capsules_that_are_none_are_refused() -> None:
    for given in (None, 7, pa.table(columns()).schema.__arrow_c_schema__()):
        with pytest.raises((ArgumentError, ValueError)):
            Verdicts.from_table(Capsule(given))
    taken = Capsule(pa.table(columns()).__arrow_c_stream__())
    assert len(Verdicts.from_table(taken)) == len(ROWS)
    with pytest.raises((ArgumentError, ValueError)):
        Verdicts.from_table(taken)


def finding(frame: Any, **named: Any) -> calibrant.Finding:
    with pytest.raises(InputError) as raised:
        Verdicts.from_table(frame, **named)
    found = raised.value.findings[0]
    assert found.severity == "error" and found.help and found.message.strip() in str(raised.value)
    return found


def with_column(name: str, values: Any) -> pa.Table:
    arrow = pa.table(columns())
    return arrow.set_column(arrow.column_names.index(name), name, values)


def test_columns_of_the_wrong_type() -> None:
    for kind, values in [
        ("lists", pa.array([[1]] * len(ROWS))),
        ("structs", pa.array([{"x": 1}] * len(ROWS))),
        ("bytes", pa.array([b"x"] * len(ROWS))),
        ("floats", pa.array([1.5] * len(ROWS))),
        ("dates", pa.array([0] * len(ROWS), pa.timestamp("s"))),
    ]:
        found = finding(with_column("judge", values))
        assert found.id == "column-type", kind
        assert "judge" in found.message


def test_rows_that_are_wrong_name_their_row_and_column() -> None:
    labels = pa.array([0.5 if at == 5 else 1.0 for at in range(len(ROWS))])
    found = finding(with_column("label", labels), name="my frame")
    assert "my frame" in found.message and "row 6" in found.message and "label" in found.message


def test_a_row_twice_is_refused() -> None:
    arrow = pa.table(columns())
    found = finding(pa.concat_tables([arrow, arrow.slice(2, 1)]))
    assert "row 17" in found.message and "row 3" in found.help


def test_missing_columns_and_rows() -> None:
    arrow = pa.table(columns())
    assert "judge" in finding(arrow.drop_columns(["judge"])).message
    assert finding(arrow.slice(0, 0)).id == "no-rows"
    assert finding(pa.table({})).help
    twice = pa.Table.from_arrays([arrow["system"], *arrow.columns], names=["system", *arrow.column_names])
    assert "system" in finding(twice).message


def test_a_scale_that_is_none() -> None:
    with pytest.raises(ArgumentError) as raised:
        Verdicts.from_table(pa.table(columns()), scale="nonsense")
    assert raised.value.argument == "scale"


def test_a_stream_that_breaks_off() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.table(columns()).to_batches()[0]
        raise OSError("the cable is out")

    reader = pa.RecordBatchReader.from_batches(pa.table(columns()).schema, batches())
    assert "the cable is out" in finding(reader).message


# Tables of ours.


def test_columns_as_arrays_and_lists() -> None:
    table = Verdicts.from_table(pa.table(columns())).to_table()
    assert len(table) == len(ROWS) and "label" in table and "nothing" not in table
    labels = table["label"]
    assert labels.dtype == np.float64 and int(np.isnan(labels).sum()) == 4
    assert table["system"].dtype == object
    assert table.to_dict()["label"].count(None) == 4
    with pytest.raises(KeyError, match="the columns are system"):
        table["nothing"]


def criteria() -> Table:
    text = "criteria:\n" + "".join(f"  - {{id: c{at}, question: Is it so?, weight: {at + 0.5}}}\n" for at in range(3))
    return Rubric.parse(text).criteria


def test_numbers_without_nulls_are_views_that_outlive_their_table() -> None:
    table = criteria()
    weights = table["weight"]
    assert not weights.flags.owndata and not weights.flags.writeable
    assert weights.__array_interface__["data"] == table["weight"].__array_interface__["data"]
    del table
    gc.collect()
    assert weights.tolist() == [0.5, 1.5, 2.5]
    with pytest.raises(ValueError):
        weights[0] = 9


def test_a_stream_outlives_its_table_and_one_that_nobody_takes_is_released() -> None:
    for _ in range(100):
        criteria().__arrow_c_stream__()
        criteria().__arrow_c_schema__()
    stream = pa.RecordBatchReader._import_from_c_capsule(criteria().__arrow_c_stream__())
    gc.collect()
    assert stream.read_all()["weight"].to_pylist() == [0.5, 1.5, 2.5]


def test_html_is_escaped_and_short() -> None:
    data = columns()
    data["system"] = [f"<script>alert({at})</script>" for at in range(len(ROWS))]
    many = pa.concat_tables([pa.table({**data, "query": [f"{at}-{q}" for q in data["query"]]}) for at in range(9)])
    shown = Verdicts.from_table(many)._repr_html_()
    assert "<script" not in shown and "&lt;script&gt;" in shown
    assert shown.count("<tr>") <= 21 and "20 of 144 rows" in shown
    assert "144 rows" in repr(Verdicts.from_table(many))


# Rubrics.


def test_rubrics_say_what_is_wrong_and_read_back() -> None:
    with pytest.raises(InputError) as raised:
        Rubric.parse("criteria:\n  - {id: a, question: Is it so?, wieght: 2}\n", name="mine.yaml")
    found = raised.value.findings[0]
    assert (found.file, found.line) == ("mine.yaml", 2) and found.text and "wieght" in found.text
    rubric = Rubric.parse("rubric: r\ncriteria:\n  - {id: a, question: Is it so?, weight: 2}\n")
    assert Rubric.parse(rubric.to_yaml()).hash == rubric.hash
    assert rubric.criteria.to_dict()["weight"] == [2.0]


# Long calls.


def endless() -> pa.RecordBatchReader:
    """Rows that never end, a batch of new queries each time."""
    schema = pa.schema([(name, pa.string()) for name in COLUMNS[:4]] + [("label", pa.int8())])
    size = 2_000

    def batches() -> Iterator[pa.RecordBatch]:
        for at in itertools.count():
            ids = [pa.array([name] * size) for name in ("s", "q", "c", "j")]
            ids[1] = pa.array([f"{at}-{row}" for row in range(size)])
            yield pa.RecordBatch.from_arrays([*ids, pa.array([1] * size, pa.int8())], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def test_ctrl_c_ends_a_long_call_and_leaves_all_usable() -> None:
    began = time.monotonic()
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        Verdicts.from_table(endless(), progress=False)
    # A third of a second and a batch on a quiet machine; the bound is for one on which everything else is tested too.
    assert time.monotonic() - began < 10
    assert len(Verdicts.from_table(pa.table(columns()))) == len(ROWS)


def test_other_threads_run_meanwhile_and_progress_is_told() -> None:
    told: list[tuple[str, int, int | None]] = []
    counted = itertools.count()
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            next(counted)
            time.sleep(0.001)

    def progress(what: str, done: int, total: int | None) -> None:
        told.append((what, done, total))
        if len(told) == 5:
            raise RuntimeError("enough")

    thread = threading.Thread(target=count)
    thread.start()
    try:
        with pytest.raises(RuntimeError, match="enough"):
            Verdicts.from_table(endless(), progress=progress)
    finally:
        stop.set()
        thread.join()
    assert next(counted) > 5
    assert {what for what, _, _ in told} == {"reading"}
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_progress_that_is_none_is_refused() -> None:
    with pytest.raises(ArgumentError) as raised:
        Verdicts.from_table(pa.table(columns()), progress=3)  # type: ignore[arg-type]
    assert raised.value.argument == "progress"


def test_nothing_is_drawn_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    Verdicts.from_table(pa.table(columns()))
    assert capfd.readouterr() == ("", "")


def test_codes_of_a_large_table_are_not_copied_into_text() -> None:
    """Ten million rows: what is kept and sorted is a few words a row; a text a cell would be five times that."""
    program = textwrap.dedent(
        """
        import resource, numpy as np, pyarrow as pa, calibrant
        rows = 10_000_000
        at = np.arange(rows, dtype=np.int64)
        def coded(codes, names):
            return pa.DictionaryArray.from_arrays(codes, pa.array(names))
        table = pa.table({
            "system": coded((at % 10).astype(np.int8), [f"s{i}" for i in range(10)]),
            "judge": coded((at // 10 % 4).astype(np.int8), [f"j{i}" for i in range(4)]),
            "criterion": coded((at // 40 % 50).astype(np.int8), [f"c{i}" for i in range(50)]),
            "query": coded((at // 2000).astype(np.int16), [f"q{i}" for i in range(5000)]),
            "label": (at % 3 > 0).astype(np.int8),
        })
        del at
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        verdicts = calibrant.Verdicts.from_table(table, progress=False)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        assert len(verdicts) == rows
        print((after - before) / rows)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    # A cell of the finished table has 4 + 4 + 4 + 2 + 4 + 2 bytes or so, twice while it is sorted, and its line; the five ids alone
    # would be 5 x 50 bytes as Python texts.
    assert float(done.stdout) < 100
