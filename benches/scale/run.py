#!/usr/bin/env python3
"""`calibrant run` from a cold folder at four sizes: time by stage, processor time, peak memory, and how cost grows with size.

    benches/scale/run.py               # build, simulate tables, measure, write results.json
    benches/scale/run.py --markdown    # print results.json as the tables of docs/performance.md

Standard library only. `--parquet PYTHON` also measures Parquet, converted by that Python with pyarrow (benches/peers/.venv has it).
"""

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
SIZES = [7_120, 14_250, 28_500, 57_000]
SYSTEMS, JUDGES, SEED = 20, 3, 1
STAGES = ["calibrate", "fit", "assemble", "score", "report"]
MEASURES = [*STAGES, "wall_s", "cpu_s", "peak_mb"]
TO_PARQUET = """
import sys, pyarrow.csv as csv, pyarrow.parquet as parquet
parquet.write_table(csv.read_csv(sys.argv[1]), sys.argv[2], compression="zstd")
"""


def main():
    asked = arguments()
    if not asked.markdown:
        asked.out.write_text(json.dumps(measure_all(asked), indent=1) + "\n")
    print(markdown(json.loads(asked.out.read_text())))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=SIZES)
    parser.add_argument("--parquet", metavar="PYTHON")
    parser.add_argument("--replicates", type=int, help="bootstrap replicates, instead of the program's default")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def measure_all(asked):
    generator = build("--package", "calibrant-project", "--example", "scale_table")
    program = build("--package", "calibrant-cli", "--bin", "calibrant")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in asked.sizes:
            table = Path(folder) / "verdicts.csv"
            subprocess.run([generator, *map(str, (size, SYSTEMS, JUDGES, SEED)), table], check=True)
            rows.append(measure(program, table, size, "CSV", asked))
            if asked.parquet:
                parquet = table.with_suffix(".parquet")
                subprocess.run([asked.parquet, "-c", TO_PARQUET, table, parquet], check=True)
                rows.append(measure(program, parquet, size, "Parquet", asked))
    rows = [row for row in rows if row]
    return {"made": provenance(asked), "rows": rows, "exponents": exponents(rows)}


def build(*what):
    command = ["cargo", "build", "--release", *what, "--message-format", "json"]
    lines = subprocess.run(command, cwd=HERE, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [path for path in (json.loads(line).get("executable") for line in lines) if path][-1]


def measure(program, table, size, kind, asked):
    runs = []
    for _ in range(asked.repetitions):
        run = measure_once(program, table, asked)
        if run is None:
            print(f"{kind} is not read by this program: left out", file=sys.stderr)
            return None
        print(f"{size} {kind}: {run}", file=sys.stderr, flush=True)
        runs.append(run)
    medians = {key: statistics.median(run[key] for run in runs) for key in MEASURES}
    return {"criteria": size, "table": kind, "table_mb": table.stat().st_size / 1e6, **medians, "runs": runs}


def measure_once(program, table, asked):
    """One cold run; none if the program refuses the table. Stages end with their line on standard error."""
    out = table.with_name("out")
    more = ["--replicates", str(asked.replicates)] if asked.replicates else []
    command = [program, "run", "--verdicts", table, "--out", out, *more]
    start = last = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=table.parent)
    run = {}
    for line in process.stderr:
        stage, _, done = line.strip().partition(": ")
        if stage in STAGES and done == "done":
            now = time.perf_counter()
            run[stage], last = now - last, now
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    run["wall_s"] = time.perf_counter() - start
    run["cpu_s"] = usage.ru_utime + usage.ru_stime
    run["peak_mb"] = usage.ru_maxrss / 1024
    shutil.rmtree(out, ignore_errors=True)
    return run if process.returncode == 0 and all(stage in run for stage in STAGES) else None


def exponents(rows):
    """The slope of log cost over log size, by least squares, for each kind of table and each measure."""
    found = {}
    for kind in sorted({row["table"] for row in rows}):
        of_kind = [row for row in rows if row["table"] == kind]
        if len(of_kind) > 1:
            found[kind] = {key: slope([(row["criteria"], row[key]) for row in of_kind]) for key in MEASURES}
    return found


def slope(points):
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (statistics.fmean(values) for values in zip(*logs))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def provenance(asked):
    say = lambda *command: subprocess.run(command, cwd=HERE, capture_output=True, text=True).stdout.strip()
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "commit": say("git", "rev-parse", "HEAD"),
        "changed_files": say("git", "status", "--porcelain", "--", "../../crates") != "",
        "date": date.today().isoformat(),
        "processor": model[0].split(":")[1].strip() if model else "unknown",
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "repetitions": asked.repetitions,
        "replicates": asked.replicates,
    }


def markdown(results):
    made = results["made"]
    replicates = f", {made['replicates']} bootstrap replicates" if made["replicates"] else ""
    text = [
        f"Commit `{made['commit'][:12]}`{' with changes' if made['changed_files'] else ''}, {made['date']}, "
        f"{made['processor']} with {made['cores']} cores, load {made['load']:.1f} at the end, "
        f"median of {made['repetitions']}{replicates}; stages in seconds of wall time.",
        "",
        "| criteria | table | " + " | ".join(STAGES) + " | wall s | CPU s | peak MB |",
        "|" + "---|" * (len(MEASURES) + 2),
    ]
    for row in results["rows"]:
        cells = [f"{row[key]:.3g}" for key in MEASURES[:-1]] + [f"{row['peak_mb']:.0f}"]
        text.append(f"| {row['criteria']:,} | {row['table']} | " + " | ".join(cells) + " |")
    for kind, found in results["exponents"].items():
        text.append(f"| exponent | {kind} | " + " | ".join(f"{found[key]:.2f}" for key in MEASURES) + " |")
    return "\n".join(text)


if __name__ == "__main__":
    main()
