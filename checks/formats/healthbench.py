"""HealthBench's own code reads what we write: `python checks/formats/healthbench.py PROGRAM`, with nvidia-simple-evals 26.3.

Makes the fixtures of `testdata/formats/healthbench` again with the published code and compares them with the files the tests read; imports
the pool, exports it, and lets the published classes read the rows and score a made answer from them. Ends with 0 if all of it holds, with 1
if something does not, and with 2 if the package is not there.

    pip install --no-deps nvidia-simple-evals==26.3
    pip install aiohttp blobfile jinja2 numpy openai pandas pydantic pyyaml tabulate tenacity tqdm
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "formats" / "healthbench"


def same_fixtures(folder):
    """Names of fixtures that the published code makes otherwise today."""
    shutil.copy(DATA / "make.py", folder / "make.py")
    subprocess.run([sys.executable, folder / "make.py"], check=True, cwd=folder)
    made = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".jsonl"))
    return [path.name for path in made if path.read_bytes() != (DATA / path.name).read_bytes()]


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main():
    try:
        from simple_evals.evals.healthbench_eval import RubricItem, calculate_score
    except ImportError as reason:
        print(f"nvidia-simple-evals is not there: {reason}")
        return 2
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        here = pathlib.Path(name)
        (here / "made").mkdir()
        wrong = [f"{name} is not what the package makes" for name in same_fixtures(here / "made")]
        imported = ["import", DATA / "pool.jsonl", "--from", "healthbench", "--out", "project"]
        exported = ["export", "--to", "healthbench", "--config", "project/calibrant.toml", "--out", "out.jsonl"]
        for arguments in (imported, exported):
            subprocess.run([program, *arguments], check=True, cwd=here, capture_output=True)
        written, published = lines(here / "out.jsonl"), lines(DATA / "pool.jsonl")
        if len(written) != len(published):
            wrong.append(f"{len(written)} rows of {len(published)}")
        for ours, theirs in zip(written, published):
            items = [[RubricItem.from_dict(item) for item in row["rubrics"]] for row in (ours, theirs)]
            if [str(item) for item in items[0]] != [str(item) for item in items[1]]:
                wrong.append(f"{theirs['prompt_id']}: other criteria")
            for key in ("prompt", "prompt_id", "example_tags"):
                if ours[key] != theirs[key]:
                    wrong.append(f"{theirs['prompt_id']}: another {key}")
            answers = [{"criteria_met": place % 2 == 0} for place in range(len(items[0]))]
            if calculate_score(items[0], answers) != calculate_score(items[1], answers):
                wrong.append(f"{theirs['prompt_id']}: another score")
    for line in wrong:
        print(line)
    print(f"healthbench: {len(published)} rows, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
