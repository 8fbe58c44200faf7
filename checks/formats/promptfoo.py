"""What we write is read by promptfoo: `python checks/formats/promptfoo.py FOLDER`, where FOLDER/node_modules has promptfoo.

Runs the pinned configuration `testdata/formats/promptfoo/exported.yaml`, which the tests hold to what the program writes, with a grader that
answers by rules; no network, no key. Looks that promptfoo calls it valid, that every criterion comes back as a metric, and that every text
came through the templates as it was. Ends with 0 if all of it holds, with 1 if something does not, and with 2 if promptfoo is not there.

    npm install --prefix FOLDER --save-exact promptfoo@0.121.20
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "formats" / "promptfoo"
VERSION = "0.121.20"
QUIET = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
    "PROMPTFOO_FAILED_TEST_EXIT_CODE": "0",
    "NODE_NO_WARNINGS": "1",
}
CRITERIA = {
    "names_period": "Does the reply say for how many days a loan is renewed?",
    "invents_rule": "Does the reply name a rule that the library does not have?",
    "template": "Does it keep {{ braces }} and {% tags %} and {# comments #} as they are?",
    "a_file": "file:///etc/hostname is no file to be read here",
    "short": None,
    "with_number": None,
    "begins": None,
    "names_both": None,
    "of_two": "Does the reply greet?",
}


def lines(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def run(program, work, *arguments):
    environment = os.environ | QUIET | {"PROMPTFOO_CONFIG_DIR": str(work)}
    done = subprocess.run([program, *arguments], cwd=DATA, env=environment, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def compare(rows):
    """Everything that is not as it was written."""
    wrong = []
    prompts = {}
    for query in lines("queries.jsonl"):
        messages = query.get("messages")
        prompts[query["query"]] = messages if messages else query["prompt"]
    given = {}
    for row in lines("responses.jsonl"):
        text = row["response"] if "response" in row else row["messages"][-1]["content"]
        if text:
            given[(row["system"], row["query"], row.get("sample", "1"))] = text
    metrics, seen = set(), set()
    for row in rows:
        about = row["testCase"]["metadata"]["calibrant"]
        key = (row["provider"]["label"], about["query"], about["sample"])
        seen.add(key)
        if row["failureReason"] == 2:
            wrong.append(f"{key}: {row['error']}")
            continue
        if row["response"]["output"] != given.get(key):
            wrong.append(f"{key}: the answer became {row['response']['output']!r}")
        asked, wanted = row["prompt"]["raw"], prompts[about["query"]]
        if (json.loads(asked) if isinstance(wanted, list) else asked) != wanted:
            wrong.append(f"{key}: the prompt became {asked!r}")
        for result in row["gradingResult"]["componentResults"]:
            metric = result["assertion"]["metric"]
            metrics.add(metric)
            question = CRITERIA.get(metric, "")
            shown = result.get("metadata", {}).get("renderedGradingPrompt")
            if question and (shown is None or question not in json.loads(shown)[-1]["content"]):
                wrong.append(f"{metric}: the judge was shown {shown!r}")
    if metrics != set(CRITERIA):
        wrong.append(f"metrics {sorted(metrics)} instead of {sorted(CRITERIA)}")
    if seen != set(given):
        wrong.append(f"answers {sorted(seen)} instead of {sorted(given)}")
    return wrong


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    program = folder / "node_modules" / ".bin" / "promptfoo"
    if not program.exists():
        print(f"promptfoo is not in {folder}: npm install --prefix {folder} --save-exact promptfoo@{VERSION}")
        return 2
    with tempfile.TemporaryDirectory() as work:
        code, said = run(program, work, "--version")
        if code != 0 or VERSION not in said:
            print(f"promptfoo {VERSION} is expected, this is {said.strip()}")
            return 1
        code, said = run(program, work, "validate", "--config", "exported.yaml")
        if code != 0 or "Configuration is valid" not in said:
            print(f"promptfoo does not take the configuration:\n{said}")
            return 1
        out = pathlib.Path(work) / "results.json"
        code, said = run(program, work, "eval", "--config", "exported.yaml", "--grader", "file://grader.mjs", "--no-cache", "--no-table",
                         "--no-progress-bar", "--max-concurrency", "1", "--output", str(out))
        if code != 0 or not out.exists():
            print(f"promptfoo does not run the configuration:\n{said}")
            return 1
        rows = json.loads(out.read_text(encoding="utf-8"))["results"]["results"]
    wrong = compare(rows)
    for line in wrong:
        print(line)
    print(f"promptfoo {VERSION}: {len(rows)} answers graded, {len(CRITERIA)} criteria back, {len(wrong)} mistakes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
