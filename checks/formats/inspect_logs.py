"""Inspect's logs are read as Inspect reads them, and it takes our ratings: `python checks/formats/inspect_logs.py PROGRAM`, with inspect_ai 0.3.285.

Imports every fixture of `testdata/formats/inspect` and compares responses and scores, sample by sample, with what the package's own reader
gives; exports the ratings of one system, lets the package's `precomputed_scores` put them on the log they came from, and compares its
metrics with the ones in that log. Ends with 0 if all of it holds, with 1 if something does not, and with 2 if the package is not there.

    pip install inspect_ai==0.3.285
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["INSPECT_DISPLAY"] = "none"
os.environ["INSPECT_LOG_LEVEL"] = "error"

DATA = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "formats" / "inspect"

def rows(path):
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def label(value):
    """A score as the number that the package takes it for; None where it is no finite number."""
    from inspect_ai.scorer import value_to_float

    if isinstance(value, str) and value not in ("C", "P", "I", "N") and value.lower() not in ("yes", "no", "true", "false"):
        # The package warns of a word it does not know and counts it as 0; here it is no label.
        try:
            value = float(value)
        except ValueError:
            return None
    if value is None or isinstance(value, (dict, list)):
        return None
    number = float(value_to_float()(value))
    return number if math.isfinite(number) else None


def parts(scorer, value):
    """The values of one score by criterion: a key of a dict or a place in a list is a criterion of its own."""
    if isinstance(value, dict):
        return {key.strip(): part for key, part in value.items()}
    if isinstance(value, list):
        return {f"{scorer}/{place}": part for place, part in enumerate(value, start=1)}
    return {scorer: value}


def labels(log):
    """The label of every score, by query, sample and criterion."""
    found = {}
    for sample in log.samples:
        for scorer, score in (sample.scores or {}).items():
            for criterion, value in parts(scorer, score.value).items():
                found[(str(sample.id), str(sample.epoch), criterion)] = label(value)
    return {key: value for key, value in found.items() if value is not None}


def compare(log, folder):
    """What our import of a log says otherwise than the package does."""
    verdicts = {
        (row["query"], row["sample"], row["criterion"]): row["label"]
        for row in rows(folder / "verdicts.jsonl")
        if row["status"] == "ok"
    }
    wanted = labels(log)
    wrong = [f"{key} is {verdicts.get(key)} instead of {wanted.get(key)}" for key in sorted(verdicts.keys() ^ wanted.keys())]
    wrong += [f"{key} is {verdicts[key]} instead of {wanted[key]}" for key in verdicts.keys() & wanted.keys() if verdicts[key] != wanted[key]]
    answers = {(row["query"], row["sample"]): row for row in rows(folder / "responses.jsonl")}
    for sample in log.samples:
        text = sample.output.completion
        answer = answers.get((str(sample.id), str(sample.epoch)))
        if text and (answer is None or text not in json.dumps(answer, ensure_ascii=False) and json.dumps(text)[1:-1] not in json.dumps(answer)):
            wrong.append(f"the response of {sample.id}, epoch {sample.epoch}, is not the one in the log")
    return wrong


def ratings_come_back(program, work):
    """Whether the package gives our ratings the metrics that the log has."""
    from inspect_ai import score
    from inspect_ai.log import read_eval_log
    from inspect_ai.scorer import mean, precomputed_scores

    log = read_eval_log(str(DATA / "desk-alpha.eval"))
    for arguments in (
        ["import", DATA / "desk-alpha.eval", DATA / "desk-beta.eval", "--out", "desk"],
        ["run", "--config", "desk/calibrant.toml"],
        ["export", "--to", "inspect-scores", "--from", "desk/out", "--system", "mockllm/alpha", "--out", "ratings.jsonl"],
        ["export", "--to", "inspect-scores", "--from", "desk/out", "--system", "mockllm/alpha", "--out", "ratings.json"],
    ):
        subprocess.run([program, *map(str, arguments)], check=True, cwd=work, capture_output=True)
    wanted = labels(log)
    criteria = sorted({criterion for _, _, criterion in wanted})
    wrong = []
    for name in ("ratings.jsonl", "ratings.json"):
        scorer = precomputed_scores(str(work / name), metrics={criterion: [mean()] for criterion in criteria})
        scored = score(log, scorer, action="overwrite", display="none")
        got = {result.name: result.metrics["mean"].value for result in scored.results.scores}
        for criterion in criteria:
            # The package means over epochs first and over samples then, as its own reducer does.
            samples = {}
            for (query, _, of), value in wanted.items():
                if of == criterion:
                    samples.setdefault(query, []).append(value)
            mean_of = sum(sum(values) / len(values) for values in samples.values()) / len(samples)
            if criterion not in got or not math.isclose(got[criterion], mean_of, abs_tol=1e-12):
                wrong.append(f"{name}: the mean of {criterion} is {got.get(criterion)} instead of {mean_of}")
        back = labels(scored)
        if back != wanted:
            wrong.append(f"{name}: {len(back.items() ^ wanted.items())} ratings came back otherwise")
    return wrong


def main():
    try:
        from inspect_ai.log import read_eval_log
    except ImportError as reason:
        print(f"inspect_ai is not there: {reason}")
        return 2
    program = pathlib.Path(sys.argv[1]).resolve()
    wrong, read = [], 0
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        for path in sorted([*DATA.glob("*.eval"), *DATA.glob("*.json")]):
            out = work / path.name
            done = subprocess.run([program, "import", path, "--from", "inspect", "--out", out], capture_output=True, text=True)
            if done.returncode != 0:
                wrong.append(f"{path.name} is not imported: {done.stderr}")
                continue
            read += 1
            wrong += [f"{path.name}: {line}" for line in compare(read_eval_log(str(path)), out)]
        wrong += ratings_come_back(program, work)
    for line in wrong:
        print(line)
    print(f"inspect: {read} logs, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
