#!/bin/sh
# Makes the results beside this file with the real promptfoo, found in FOLDER/node_modules:
#   npm install --prefix FOLDER --save-exact promptfoo@0.121.20 && sh make.sh FOLDER
# Everything is answered by provider.mjs and grader.mjs: no network, no key. Ids and times of the run are replaced by fixed ones.
set -eu
promptfoo="$1/node_modules/.bin/promptfoo"
cd "$(dirname "$0")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export PROMPTFOO_CONFIG_DIR="$work" PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 PROMPTFOO_DISABLE_SHARING=1
export PROMPTFOO_DISABLE_REMOTE_GENERATION=true PROMPTFOO_FAILED_TEST_EXIT_CODE=0 NODE_NO_WARNINGS=1
run() {
  name="$1"
  shift
  "$promptfoo" eval --config "$name.yaml" "$@" --no-cache --no-table --no-progress-bar --max-concurrency 1 \
    --output "$work/$name.json" --output "$work/$name.jsonl" --output "$work/$name.results.yaml" --output "$work/$name.csv" >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
}
run desk
run plain
run unfold
run exported --grader file://grader.mjs
python3 - "$work" <<'PYTHON'
import json, pathlib, re, sys
work = pathlib.Path(sys.argv[1])
here = pathlib.Path.cwd()
found = {}

def fixed(text):
    text = text.replace(str(here), "/desk").replace(str(work), "/desk")
    text = re.sub(r"file://[^\s\"\\]*/(node_modules|desk)/[^\s\"\\)]*", "file:///promptfoo", text)
    text = re.sub(r"\n *at [^\n]*", "", text)
    text = re.sub(r"(\\\\n|\\n) +at [^\"\\]*", "", text)
    text = re.sub(r"eval-\w+-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "eval-abc-2026-01-02T03:04:05", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", "2026-01-02T03:04:05.000Z", text)
    text = re.sub(r'("?(?:latencyMs|totalLatencyMs|durationMs|evaluationDurationMs)"?): ?\d+', r"\1: 3", text)
    name = lambda m: found.setdefault(m[0], "00000000-0000-4000-8000-%012d" % (len(found) + 1))
    return re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", name, text)

for name in ["desk.json", "desk.jsonl", "desk.csv", "plain.json", "plain.jsonl", "plain.results.yaml", "unfold.jsonl", "exported.jsonl"]:
    text = fixed((work / name).read_text(encoding="utf-8"))
    if name == "desk.json":
        # Two spaces a level are a third of the file.
        text = json.dumps(json.loads(text), ensure_ascii=False, indent=1) + "\n"
    (here / name).write_text(text, encoding="utf-8")
PYTHON
