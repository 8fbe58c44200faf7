"""Writes the Parquet files beside this script; see README.md for the versions they were written with."""

import datetime
import pathlib

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent
ROWS = {
    "system": ["alpha", "alpha", "alpha", "alpha", "beta", "beta", "beta", "béta"],
    "query": ["q1", "q1", "q2", "q2", "q1", "q1", "q2", "q2"],
    "criterion": ["cites", "cites", "=short", "=short", "cites", "cites", "=short", "=short"],
    "judge": ["anna", "ben"] * 4,
    "label": [1, 0, 1, None, 0, 0, 1, 1],
}
WORDS = ["yes", "no", "met", None, "fail", "FALSE", "1", "true"]


def arrow(**changes):
    return pa.table({**ROWS, **changes})


def text(kind):
    return {name: pa.array(ROWS[name], kind) for name in ["system", "query", "criterion", "judge"]}


def dictionary(index):
    values = {name: pa.array(ROWS[name]).dictionary_encode().cast(pa.dictionary(index, pa.string())) for name in ROWS if name != "label"}
    return arrow(**values, label=pa.array(ROWS["label"], pa.float64()))


def good():
    for codec in ["none", "snappy", "gzip", "zstd", "lz4"]:
        pq.write_table(arrow(), HERE / f"pyarrow_{codec}.parquet", compression=codec)
    pq.write_table(arrow(**text(pa.large_string())), HERE / "pyarrow_large_string.parquet")
    pq.write_table(arrow(**text(pa.string_view()), label=pa.array(ROWS["label"], pa.float16())), HERE / "pyarrow_string_view_half.parquet")
    pq.write_table(dictionary(pa.int8()), HERE / "pyarrow_dictionary_int8.parquet")
    pq.write_table(dictionary(pa.int32()), HERE / "pyarrow_dictionary_int32.parquet", row_group_size=3, version="1.0")
    pq.write_table(arrow(label=pa.array(WORDS)), HERE / "pyarrow_words_plain.parquet", use_dictionary=False)
    delta = {name: "DELTA_BYTE_ARRAY" for name in ["system", "query"]} | {name: "DELTA_LENGTH_BYTE_ARRAY" for name in ["criterion", "judge"]}
    pq.write_table(arrow(), HERE / "pyarrow_delta_pages_v2.parquet", use_dictionary=False, column_encoding=delta, data_page_version="2.0")
    pq.write_table(arrow(), HERE / "pyarrow_pages_v2.parquet", data_page_version="2.0", compression="zstd")
    pd.DataFrame(ROWS).to_parquet(HERE / "pandas_default.parquet", index=False)
    frame = pd.DataFrame(ROWS).astype({name: "category" for name in ["system", "query", "criterion", "judge"]})
    frame["label"] = frame["label"].astype("boolean")
    frame.to_parquet(HERE / "pandas_categories_booleans.parquet", compression="zstd")
    pl.DataFrame(ROWS).write_parquet(HERE / "polars_default.parquet")
    frame = pl.DataFrame(ROWS).with_columns(pl.col("system", "judge").cast(pl.Categorical), pl.col("label").cast(pl.UInt8))
    frame.write_parquet(HERE / "polars_categories_uint8.parquet", compression="snappy")
    empty = {name: pa.nulls(2) for name in ["label", "status", "sample", "note"]}
    pq.write_table(pa.table({"system": ["a", "b"], "query": ["q"] * 2, "criterion": ["c"] * 2, "judge": ["j"] * 2, **empty}), HERE / "pyarrow_nulls.parquet")
    numbers = pa.table(
        {
            "model": [1, 2], "query": pa.array([2**64 - 1, 7], pa.uint64()), "criterion": pa.array([-3, 4], pa.int16()),
            "judge": pa.array([9, 9], pa.uint32()), "epoch": [2, 3], "label": [True, False], "note": [[1], []],
            "when": [datetime.datetime(2026, 1, 1)] * 2,
        }
    )
    pq.write_table(numbers, HERE / "pyarrow_numbers.parquet")


def divided():
    """One table twice: a domain for each query, missing in some rows and for one query, blank in others."""
    where = HERE / "divided"
    random = np.random.default_rng(7)
    rows = []
    for query in range(1, 15):
        domain = "law" if query <= 7 else "medicine/cardiology" if query <= 13 else None
        for at, system in enumerate(["ada", "bo", "cy", "dee"]):
            for criterion in ["cites", "short", "sound"]:
                truth = random.random() < (at + 1 + query % 3) / 7
                for judge in ["anna", "ben", "cleo"]:
                    label = int(truth if random.random() < 0.85 else not truth)
                    said = domain if judge != "ben" else None if at % 2 else "  "
                    rows.append((system, f"q{query:02}", criterion, judge, label, said))
    names = ["system", "query", "criterion", "judge", "label", "domain"]
    frame = pd.DataFrame(rows, columns=names)
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), where / "verdicts.parquet", compression="zstd", row_group_size=200)
    frame.to_csv(where / "verdicts.csv", index=False)
    two = arrow(domain=["law", "law", "tax", None, "law", "tax", "tax", "tax"], task_type=["decision", "Decision-Support"] + [None] * 6)
    pq.write_table(two, where / "two_domains.parquet", row_group_size=4)


def bad():
    where = HERE / "bad"
    pq.write_table(arrow(label=[[1], [0], [1], None, [0], [0], [1], [1]]), where / "nested_label.parquet")
    pq.write_table(arrow(judge=pa.array([b"\x01"] * 8, pa.binary())), where / "binary_judge.parquet")
    pq.write_table(arrow(query=pa.array(range(8), pa.date32())), where / "date_query.parquet")
    pq.write_table(arrow(label=["1", "0", "maybe", None, "0", "perhaps", "1", "1"]), where / "label_words.parquet", row_group_size=3)
    pq.write_table(arrow(judge=["anna", None, "anna", "ben", "anna", "ben", "anna", "ben"]), where / "null_judge.parquet")
    pq.write_table(arrow(judge=["anna"] * 8), where / "duplicate_cell.parquet")
    far = arrow(system=["alpha", "alpha", "beta", "beta", "beta", "beta", "alpha", "alpha"], query=["q1"] * 8, criterion=["cites"] * 8)
    pq.write_table(far, where / "duplicate_far.parquet")
    pq.write_table(arrow().drop(["judge"]), where / "no_judge.parquet")
    pq.write_table(arrow().slice(0, 0), where / "no_rows.parquet")
    pq.write_table(arrow(), where / "brotli.parquet", compression="brotli")
    pq.write_table(arrow(label=pa.array([1.0, 0.0, np.nan, 1.0, 0.0, 0.0, 1.0, 3.0])), where / "nan_label.parquet")
    whole = (HERE / "pyarrow_snappy.parquet").read_bytes()
    (where / "truncated.parquet").write_bytes(whole[:-40])
    (where / "footer_length.parquet").write_bytes(whole[:-8] + b"\xff\xff\xff\x7fPAR1")
    (where / "wrong_magic.parquet").write_bytes(b"PAR2" + whole[4:])
    (where / "header_of_a_page.parquet").write_bytes(whole[:4] + bytes(40) + whole[44:])
    footer = int.from_bytes(whole[-8:-4], "little")
    start = len(whole) - 8 - footer
    (where / "footer_of_zeros.parquet").write_bytes(whole[:start] + bytes(footer) + whole[-8:])


if __name__ == "__main__":
    good()
    divided()
    bad()
