"""`datasets` reads what we write: `python checks/formats/hugging_face.py PROGRAM`, with datasets 5.2.0; no network.

Imports the HealthBench fixtures, runs them, exports the project as a data set, loads every configuration, and compares rows and types. Ends with
0 if all of it holds, with 1 if something does not, and with 2 if the package is not there.

    pip install datasets==5.2.0
"""

import os
import pathlib
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "formats" / "healthbench"
ROWS = {"criteria": 16, "queries": 4, "responses": 20, "verdicts": 64, "labels": 64}
MESSAGES = {"role": "string", "content": "string"}


def wrong_types(name, features):
    """Columns whose type is not the one that every data set of ours has."""
    ids = {"criterion", "query", "system", "sample", "judge"} & set(features)
    wrong = [f"{name}.{column} is no text" for column in sorted(ids) if features[column].dtype != "string"]
    if "messages" in features:
        inner = {key: value.dtype for key, value in features["messages"].feature.items()}
        if inner != MESSAGES:
            wrong.append(f"{name}.messages is {inner}")
    if "tags" in features and features["tags"].feature.dtype != "string":
        wrong.append(f"{name}.tags is no list of texts")
    if "label" in features and features["label"].dtype != "float64":
        wrong.append(f"{name}.label is no number")
    return wrong


def main():
    try:
        from datasets import get_dataset_config_names, load_dataset
    except ImportError as reason:
        print(f"datasets is not there: {reason}")
        return 2
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        here = pathlib.Path(name)
        files = [DATA / "pool.jsonl", *sorted(DATA.glob("*_allresults.json"))]
        project = ["--config", "project/calibrant.toml"]
        for arguments in (
            ["import", *files, "--judge", "grader", "--out", "project"],
            ["export", "--to", "hugging-face", *project, "--out", "set"],
        ):
            subprocess.run([program, *arguments], check=True, cwd=here, capture_output=True)
        folder = str(here / "set")
        found = get_dataset_config_names(folder)
        wrong = [] if sorted(found) == sorted(ROWS) else [f"the configurations are {found}"]
        for config, rows in ROWS.items():
            table = load_dataset(folder, config, split="train", cache_dir=str(here / "cache"))
            if len(table) != rows:
                wrong.append(f"{config} has {len(table)} rows and not {rows}")
            wrong += wrong_types(config, table.features)
            if config == "criteria" and table[3]["weight"] != -6.0:
                wrong.append("a weight is another one")
            if config == "queries" and table[1]["messages"][0]["content"].split("\n")[-1] != "I have a 34-tooth cassette.":
                wrong.append("a message is another one")
    for line in wrong:
        print(line)
    print(f"hugging-face: {len(ROWS)} tables, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1", HF_DATASETS_DISABLE_PROGRESS_BARS="1")
    sys.exit(main())
