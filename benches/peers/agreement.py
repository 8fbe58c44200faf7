#!/usr/bin/env python3
"""Agreement beside its Python peers: five judges, ten million units, in memory and as a stream; and the bootstrap.

    benches/peers/agreement.py               # make .venv with requirements.txt, build our side, measure, write agreement.json
    benches/peers/agreement.py --markdown    # print agreement.json as the table of docs/performance.md

Measured as run.py measures: shared inputs, in turn, one thread, a process each. The same values, or the run fails.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import run

RESULTS = run.HERE / "agreement.json"
STREAMED = "Calibrant, streamed"

# (cell, units, our work, our works of the same result, peer, argument of the peer)
CELLS = [
    ("alpha, nominal, 5x10,000,000", 10_000_000, "alpha:nominal", "alpha-stream:nominal", "krippendorff, nominal", []),
    ("alpha, ordinal, 5x10,000,000", 10_000_000, "alpha:ordinal", "alpha-stream:ordinal", "krippendorff, ordinal", []),
    ("ten kappas, 5x10,000,000", 10_000_000, "kappa", "kappa-stream", "scikit-learn", []),
    ("bootstrap of alpha, 5x100,000", 100_000, "alpha-bootstrap:1000", None, "krippendorff + numpy", [20]),
]

# Values agree to this; the bootstrap's standard errors, ours of 1,000 replicates and theirs of 20, to six of their own errors.
SAME = 1e-10
SAME_ERROR = 6 / 38**0.5


def main():
    asked = arguments()
    if asked.markdown:
        print(markdown(json.loads(RESULTS.read_text())))
        return
    if Path(sys.prefix).resolve() != run.VENV:
        run.inside_the_venv(__file__)
    program, rows, wrong = run.build(), [], []
    with tempfile.TemporaryDirectory() as folder:
        for cell in CELLS:
            made = measure_cell(program, Path(folder) / "input", cell, asked)
            wrong += check(made)
            rows += [run.forget_results(row) for row in made]
            made = run.provenance(asked, ["krippendorff", "scikit-learn", "numpy"])
            RESULTS.write_text(json.dumps({"made": made, "rows": rows}, indent=1) + "\n")
    print(markdown(json.loads(RESULTS.read_text())))
    if wrong:
        sys.exit("\n".join(wrong))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--limit", type=int, default=240)
    return parser.parse_args()


def measure_cell(program, path, cell, asked):
    import inputs

    name, units, work, streamed, peer, more = cell
    inputs.agreement(path, units)
    rival = [sys.executable, str(run.HERE / "rivals.py"), peer, str(path), str(asked.limit), *map(str, more)]
    commands = {run.OURS: [program, work, str(path)], STREAMED: [program, streamed, str(path)], peer: rival}
    if streamed is None:
        del commands[STREAMED]
    rows = {who: {"work": "agreement", "cell": name, "name": who, "runs": [], "note": None} for who in commands}
    for _ in range(asked.repetitions):
        for who, command in commands.items():
            if rows[who]["note"] is None:
                run.measure(command, rows[who], asked.limit)
                print(name, who, rows[who]["runs"][-1:] or rows[who]["note"], file=sys.stderr, flush=True)
    path.unlink()
    for row in rows.values():
        run.summarise(row, path)
    return list(rows.values())


def check(rows):
    wrong = []
    for row in rows[1:]:
        if row["runs"]:
            ours, theirs = rows[0]["result"]["values"], row["result"]["values"]
            most = SAME_ERROR * ours[0] if row["cell"].startswith("bootstrap") else SAME
            row["same"] = all(abs(x - y) <= most for x, y in zip(ours, theirs, strict=True))
            if not row["same"]:
                wrong.append(f"{row['cell']}: {row['name']} and {run.OURS} differ")
    return wrong


def markdown(results):
    return "\n".join([run.provenance_line(results["made"]), "", *run.greedy_table(results["rows"])])


if __name__ == "__main__":
    main()
