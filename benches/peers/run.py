#!/usr/bin/env python3
"""Calibrant beside its Python peers: every measurement in one run, on shared inputs, alternating, one thread, a process each.

    benches/peers/run.py               # make .venv with requirements.txt, build our side, measure, write results.json
    benches/peers/run.py --markdown    # print results.json as the tables of docs/performance.md

`--work fit,greedy` and `--cell 15x2000` narrow a run; `--limit` is the processor time in seconds after which a peer is cut off.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
VENV = HERE / ".venv"
OURS = "Calibrant"

ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "RAYON", "NUMBA", "ARROW")
}

FIT_PEERS = ["numpy + L-BFGS-B", "mirt", "mirt with priors", "girth"]
GREEDY_PEERS = ["numpy, all gains", "Python heap + numpy", "submodlib naive", "submodlib lazy"]

# (work, cell, arguments of the input, arguments of the work, peers)
CELLS = [
    ("fit", "15x2000", (15, 2000), [], FIT_PEERS),
    ("fit", "100x2000", (100, 2000), [], FIT_PEERS),
    ("fit", "1000x500", (1000, 500), [], FIT_PEERS),
    ("fit", "10000x200", (10_000, 200), [], FIT_PEERS),
    ("greedy", "200 of 10,000", (10_000,), [200], GREEDY_PEERS),
    # submodlib takes features as lists of tuples: 41 million of them are about 6 GB before it starts.
    ("greedy", "1,000 of 1,000,000", (1_000_000,), [1000], GREEDY_PEERS[:2]),
    ("attrition", "11x2,000x3", (11, 2000, 3), [], ["numpy + scipy"]),
    ("attrition", "20x57,000x3", (20, 57_000, 3), [], ["numpy + scipy"]),
]

# A peer that took longer than this once, in seconds, is measured three times only.
SLOW_S = 10


def main():
    asked = arguments()
    if asked.markdown:
        print(markdown(json.loads(asked.out.read_text())))
        return
    if Path(sys.prefix).resolve() != VENV:
        inside_the_venv()
    program = build()
    rows, wrong = [], []
    with tempfile.TemporaryDirectory() as folder:
        for work, cell, shape, more, peers in CELLS:
            if work in asked.work.split(",") and asked.cell in (None, cell):
                made = measure_cell(program, Path(folder), work, cell, shape, more, peers, asked)
                wrong += check(work, cell, made)
                rows += [forget_results(row) for row in made]
                asked.out.write_text(json.dumps({"made": provenance(asked), "rows": rows}, indent=1) + "\n")
    print(markdown(json.loads(asked.out.read_text())))
    if wrong:
        sys.exit("\n".join(wrong))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--work", default="fit,greedy,attrition")
    parser.add_argument("--cell")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def inside_the_venv(script=__file__):
    python = VENV / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--requirement", HERE / "requirements.txt"], check=True)
    os.execv(python, [str(python), script, *sys.argv[1:]])


def build():
    command = "cargo build --release --package calibrant-stats --example peers --message-format json".split()
    lines = subprocess.run(command, cwd=HERE, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    made = [json.loads(line).get("executable") for line in lines]
    return [path for path in made if path][-1]


def measure_cell(program, folder, work, cell, shape, more, peers, asked):
    import inputs

    path = folder / "input"
    getattr(inputs, work)(path, *shape)
    more = [str(word) for word in more]
    commands = {OURS: [program, ":".join([work, *more]), str(path)]}
    for peer in peers:
        commands[peer] = [sys.executable, str(HERE / "rivals.py"), peer, str(path), str(asked.limit), *more]
    rows = {name: {"work": work, "cell": cell, "name": name, "runs": [], "note": None} for name in commands}
    for repetition in range(asked.repetitions):
        for name, command in commands.items():
            row = rows[name]
            slow = row["runs"] and row["runs"][0]["cpu_s"] > SLOW_S
            if row["note"] is None and not (slow and repetition >= 3):
                measure(command, row, asked.limit)
                last = row["runs"][-1]["cpu_s"] if row["runs"] else row["note"]
                print(f"{work} {cell} {name}: {last}", file=sys.stderr, flush=True)
    rows = list(rows.values())
    for row in rows:
        summarise(row, path)
    if work == "attrition":
        subprocess.run([program, "draws", str(path)], check=True, stdout=subprocess.DEVNULL)
        import rivals

        rows[1]["result"]["interval_of_our_draws"] = rivals.interval_of_draws(path).tolist()
    for file in folder.iterdir():
        file.unlink()
    return rows


def measure(command, row, limit):
    """Runs once in a process of its own; its last line is what it measured of itself."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **ONE_THREAD}
    )
    out = process.stdout.read()
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode < 0:
        row["note"] = f"> {limit} s"
    elif process.returncode > 0:
        row["note"] = (error.strip().splitlines() or ["failed"])[-1][:120]
    else:
        run = json.loads(out.strip().splitlines()[-1])
        row["result"] = run.pop("result")
        run["process_cpu_s"] = usage.ru_utime + usage.ru_stime
        row["runs"].append(run)


def summarise(row, path):
    if not row["runs"]:
        return
    for key in ("cpu_s", "wall_s", "process_cpu_s"):
        row[key] = statistics.median(run[key] for run in row["runs"])
    row["peak_rss_mb"] = max(run["peak_rss_mb"] for run in row["runs"])
    if row["work"] == "fit":
        row |= quality(row["result"], path)


def quality(result, path):
    """F of a fit under our objective, and how far its parameters are from those simulated."""
    import numpy as np

    import rivals

    truth = np.load(f"{path}.truth.npz")
    a, b = np.array(result["a"], float), np.array(result["b"], float)
    rmse = lambda found, true: float(np.sqrt(((found - true) ** 2).mean()))
    found = {"rmse_a": rmse(a, truth["a"]), "rmse_b": rmse(b, truth["b"]), "objective": None}
    if (a > 0).all():
        value, _ = rivals.Objective(rivals.labels_of(path))(np.concatenate([np.log(a), b]))
        found["objective"] = float(-value)
    return found


def check(work, cell, rows):
    """What the peers that solve the same problem find otherwise than we do."""
    wrong = []
    for row in rows[1:]:
        if not row["runs"]:
            continue
        ours, theirs = rows[0]["result"], row["result"]
        if work == "fit" and row["name"] == FIT_PEERS[0]:
            same = abs(rows[0]["objective"] - row["objective"]) <= 1e-4
        elif work == "greedy":
            same = ours["order"] == theirs["order"]
        elif work == "attrition":
            same = all(close(ours[key], theirs[key]) for key in ours if key != "interval")
            same &= close(ours["interval"], theirs["interval_of_our_draws"])
        else:
            continue
        row["same"] = bool(same)
        if not same:
            wrong.append(f"{work} {cell}: {row['name']} and {OURS} differ")
    return wrong


def close(ours, theirs):
    pairs = zip(ours, theirs, strict=True) if isinstance(ours, list) else [(ours, theirs)]
    return all(abs(left - right) <= 1e-9 for left, right in pairs)


def forget_results(row):
    return {key: value for key, value in row.items() if key != "result"}


def provenance(asked, packages=("mirt", "girth", "submodlib-py", "numpy", "scipy")):
    from datetime import date
    from importlib.metadata import version

    say = lambda *command: subprocess.run(command, cwd=HERE, capture_output=True, text=True).stdout.strip()
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "commit": say("git", "rev-parse", "HEAD"),
        "changed_files": say("git", "status", "--porcelain", "--", "../../crates") != "",
        "date": date.today().isoformat(),
        "processor": model[0].split(":")[1].strip() if model else "unknown",
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": sys.version.split()[0],
        "rustc": say("rustc", "--version"),
        "packages": {name: version(name) for name in packages},
        "repetitions": asked.repetitions,
        "limit_s": asked.limit,
    }


def markdown(results):
    rows = results["rows"]
    text = [provenance_line(results["made"])]
    for work, table in (("fit", fit_table), ("greedy", greedy_table), ("attrition", greedy_table)):
        of_work = [row for row in rows if row["work"] == work]
        if of_work:
            text += ["", f"### {work.capitalize()}", "", *table(of_work)]
    return "\n".join(text)


def provenance_line(made):
    packages = ", ".join(f"{name} {version}" for name, version in made["packages"].items())
    return (
        f"Commit `{made['commit'][:12]}`{' with changes' if made['changed_files'] else ''}, {made['date']}, "
        f"{made['processor']} with {made['cores']} cores, Python {made['python']}, {packages}."
    )


def columns(row, rows):
    """Processor time, its ratio to ours, that of the whole process, and peak memory."""
    ours = next(other for other in rows if other["cell"] == row["cell"] and other["name"] == OURS)
    if not row["runs"]:
        limit = row["note"].removeprefix("> ").removesuffix(" s")
        ratio = f"> {float(limit) / ours['cpu_s']:.0f}" if row["note"].startswith("> ") else "-"
        return [row["note"], ratio, "-", "-"]
    ratio = "1" if row is ours else f"{row['cpu_s'] / ours['cpu_s']:.3g}"
    return [f"{row['cpu_s']:.3g}", ratio, f"{row['process_cpu_s']:.3g}", f"{row['peak_rss_mb']:.0f}"]


def line(*words):
    return "| " + " | ".join(words) + " |"


def fit_table(rows):
    head = ["systems x items", "program", "CPU s", "ratio", "process CPU s", "peak MB", "F", "RMSE a", "RMSE b"]
    text = [line(*head), "|" + "---|" * len(head)]
    for row in rows:
        value = lambda key, form: "-" if row.get(key) is None else format(row[key], form)
        found = [value("objective", ".4f"), value("rmse_a", ".3f"), value("rmse_b", ".3f")]
        text.append(line(row["cell"], row["name"], *columns(row, rows), *found))
    return text


def greedy_table(rows):
    head = ["size", "program", "CPU s", "ratio", "process CPU s", "peak MB", "same result"]
    text = [line(*head), "|" + "---|" * len(head)]
    for row in rows:
        same = {None: "-", True: "yes", False: "no"}[row.get("same")]
        text.append(line(row["cell"], row["name"], *columns(row, rows), same))
    return text


if __name__ == "__main__":
    main()
