"""What lm-eval writes is what we read: `python checks/formats/lm_eval.py PROGRAM`, in an environment with lm-eval 0.4.13.

Lets the real package log the samples of `testdata/formats/lm_eval` again, compares them with the files the tests read, imports each with
the program, and compares every verdict with the number in the log. Ends with 0 if all of it holds, with 1 if something does not, and
with 2 if lm-eval is not there.

    pip install lm-eval==0.4.13
"""

import importlib.metadata
import json
import math
import pathlib
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "formats" / "lm_eval"
VERSION = "0.4.13"


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def expected(path):
    """The label of every metric that is 0 or 1 throughout, by query and criterion; None where there is none."""
    task = path.name.removeprefix("samples_").rsplit("_", 1)[0]
    logged, labels = rows(path), {}
    for row in logged:
        broken = any("nan" in map(str, response) for response in row["filtered_resps"] if isinstance(response, list))
        for metric in row["metrics"]:
            values = [other[metric] for other in logged if other["filter"] == row["filter"]]
            if not all(isinstance(value, float) and (math.isnan(value) or value in (0.0, 1.0)) for value in values):
                continue
            name = metric if row["filter"] == "none" else f"{metric}@{row['filter']}"
            query = f"{task}-{row['doc_id']}-{row['doc_hash'][:8]}"
            value = row[metric]
            labels[(query, f"{task}.{name}")] = None if broken or math.isnan(value) else value
    return labels


def compare(program, path, work):
    out = work / path.stem
    done = subprocess.run([program, "import", str(path), "--out", str(out)], capture_output=True, text=True, timeout=60)
    wanted = expected(path)
    if done.returncode != 0:
        return [f"{path.name} is not imported: {done.stderr}"]
    verdicts = out / "verdicts.jsonl"
    imported = rows(verdicts) if verdicts.exists() else []
    got = {(row["query"], row["criterion"]): row["label"] for row in imported}
    return [f"{path.name}: {key} is {got.get(key)!r} instead of {wanted.get(key)!r}"
            for key in sorted(set(got) | set(wanted)) if key not in got or key not in wanted or got[key] != wanted[key]]


def main():
    if len(sys.argv) != 2:
        print(__doc__.splitlines()[0])
        return 2
    try:
        version = importlib.metadata.version("lm-eval")
    except importlib.metadata.PackageNotFoundError:
        print(f"lm-eval is not installed: pip install lm-eval=={VERSION}")
        return 2
    if version != VERSION:
        print(f"lm-eval {VERSION} is expected, this is {version}")
        return 1
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        made = subprocess.run([sys.executable, str(DATA / "make.py"), folder], capture_output=True, text=True, timeout=300)
        if made.returncode != 0:
            print(f"lm-eval does not log the samples:\n{made.stderr}")
            return 1
        logs = sorted((work / "desk__small").glob("samples_*.jsonl"))
        for path in logs:
            if path.read_bytes() != (DATA / "desk__small" / path.name).read_bytes():
                wrong.append(f"{path.name}: lm-eval writes something else than the file the tests read")
            wrong += compare(sys.argv[1], path, work / "imported")
    for line in wrong:
        print(line)
    print(f"lm-eval {VERSION}: {len(logs)} logs, {len(wrong)} mistakes")
    return 1 if wrong or not logs else 0


if __name__ == "__main__":
    sys.exit(main())
