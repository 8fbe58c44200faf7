"""Makes the HealthBench fixtures of this folder. Every prompt, criterion, answer and label is invented here.

Labels and scores of results are made by the published evaluation's code as NVIDIA packages it; the grader is a stand-in that reads
the answers' marks. The package drops `example_level_metadata`, so results are put together here with the keys PROTOCOLS name.

    pip install --no-deps nvidia-simple-evals==26.3
    pip install aiohttp blobfile jinja2 numpy openai pandas pydantic tabulate tenacity tqdm pyyaml
    python make.py
"""

import asyncio
import contextlib
import hashlib
import io
import json
from pathlib import Path

from simple_evals.evals.healthbench_eval import (
    HealthBenchEval,
    RubricItem,
    SingleEvalResult,
    _aggregate_get_clipped_mean,
)

HERE = Path(__file__).parent


def criterion(text, points, *tags):
    return {"criterion": text, "points": points, "tags": list(tags)}


def example(name, prompt, tags, rubrics, ideal=None):
    messages = [{"role": "user", "content": prompt}]
    return {
        "example_tags": tags,
        "ideal_completions_data": ideal,
        "prompt": messages,
        "prompt_id": name,
        "rubrics": rubrics,
    }


POOL = [
    example(
        "brake-squeal",
        "My rim brakes squeal since I changed the pads. What do I do?",
        ["theme:diagnosis", "audience:home"],
        [
            criterion("Says to toe in the pads", 7, "axis:accuracy", "level:example"),
            criterion("Says to clean the rims first", 5, "axis:completeness", "level:example"),
            criterion("Warns against oil on the braking surface", 10, "axis:safety"),
            criterion("Recommends to ride on without a check", -6, "axis:safety"),
        ],
        {
            "ideal_completion": "Clean the rims, then toe in the pads: the front edge touches first. No oil there.",
            "ideal_completions_group": "Group 2",
            "ideal_completions_ref_completions": ["Toe in the pads.", "Sand the pads; clean the rims."],
        },
    ),
    example(
        "chain-length",
        "How long must a chain be?\n\nI have a 34-tooth cassette.",
        ["theme:sizing"],
        [
            criterion("Gives a method by the two largest sprockets", 4, "axis:accuracy"),
            criterion("Mentions the two extra links", 2.5, "axis:completeness"),
            criterion("Mentions the two extra links", 1, "axis:completeness"),
            criterion("States a length for every bicycle", -9, "axis:accuracy"),
            criterion("Invents a tool", -4, "axis:invention"),
        ],
    ),
    example(
        "tube-patch",
        "Kann ich einen Schlauch zweimal flicken?",
        ["theme:diagnosis", "audience:workshop"],
        [
            criterion("Antwortet auf Deutsch", 3, "axis:language"),
            criterion("Says that a patch may not overlap another", 0, "axis:accuracy"),
            criterion("Says that a tube cannot be patched at all", -10, "axis:accuracy"),
        ],
        {
            "ideal_completion": "Ja, solange die Flicken sich nicht überlappen.",
            "ideal_completions_group": "Group 1",
            "ideal_completions_ref_completions": [],
        },
    ),
    example(
        "torque",
        "What torque for a carbon seat post?",
        ["theme:sizing", "audience:workshop"],
        [
            criterion("Points to the number printed on the frame", 8, "axis:safety"),
            criterion("Names carbon paste", 2, "axis:completeness"),
            criterion("Gives more than 8 Nm", -8, "axis:safety"),
            criterion("Tells to guess by hand", -8, "axis:safety"),
        ],
    ),
]

# For each system and prompt the criteria that are met, by place; two runs of one system.
MET = {
    "sable": [("brake-squeal", [0, 2, 3]), ("chain-length", [0, 1, 2]), ("tube-patch", [0]), ("torque", [0, 1])],
    "osprey": [("brake-squeal", [3]), ("chain-length", [3, 4]), ("tube-patch", [2]), ("torque", [0, 2, 3])],
    "heron": [("brake-squeal", [0, 1]), ("chain-length", [0, 4]), ("tube-patch", [0, 1]), ("torque", [1])]
    + [("brake-squeal", [0, 1, 2]), ("chain-length", [3]), ("tube-patch", [0, 2]), ("torque", [0, 1])],
}


class Grader:
    """Finds a criterion met when its place stands in the answer's mark."""

    def __init__(self, met):
        self.met = met
        self.asked = -1

    async def __call__(self, messages, seed=None):
        self.asked += 1
        met = self.asked in self.met
        return json.dumps({"explanation": f"Place {self.asked} is {'met' if met else 'not met'}.", "criteria_met": met})


class Seeds:
    def get_seed(self, *_):
        return 0


async def grade(row, met, answer):
    evaluation = object.__new__(HealthBenchEval)
    evaluation.grader_model = Grader(met)
    evaluation.seed_generator = Seeds()
    items = [RubricItem.from_dict(item) for item in row["rubrics"]]
    # One question after the other, so that the stand-in knows which one it is asked.
    evaluation.num_threads = 1
    with contextlib.redirect_stdout(io.StringIO()):
        metrics, _, graded = await evaluation.grade_sample(row["prompt"], answer, row["example_tags"], items)
    assert [item["criteria_met"] for item in graded] == [place in met for place in range(len(items))]
    metadata = {
        "score": metrics["overall_score"],
        "usage": {
            "input_tokens": None if answer.startswith("[osprey") else 31,
            "input_cached_tokens": None if answer.startswith("[osprey") else 0,
            "output_tokens": None if answer.startswith("[osprey") else 12,
            "output_reasoning_tokens": None if answer.startswith("[osprey") else 0,
            "total_tokens": None if answer.startswith("[osprey") else 43,
        },
        "rubric_items": graded,
        "prompt": row["prompt"],
        "completion": [{"content": answer, "role": "assistant"}],
        "prompt_id": row["prompt_id"],
        "completion_id": hashlib.sha256((row["prompt_id"] + answer).encode()).hexdigest(),
    }
    return metrics, metadata


def main():
    (HERE / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in POOL), encoding="utf-8")
    rows = {row["prompt_id"]: row for row in POOL}
    expected = {}
    for system, runs in MET.items():
        results, metadata, examples = [], [], []
        for run, (name, met) in enumerate(runs):
            answer = f"[{system}] What {system} says of {name}, {run // len(POOL) + 1}."
            metrics, row = asyncio.run(grade(rows[name], met, answer))
            results.append(SingleEvalResult(score=metrics["overall_score"], metrics=metrics, html="<p>…</p>", convo=[]))
            metadata.append(row)
            examples.append([name, str(run // len(POOL) + 1), metrics["overall_score"]])
        outcome = _aggregate_get_clipped_mean("healthbench", results)
        metrics = {name: float(value) for name, value in outcome.metrics.items() if "bootstrap_std" not in name}
        whole = {
            "score": float(outcome.score),
            "metrics": metrics,
            "htmls": outcome.htmls,
            "convos": outcome.convos,
            "metadata": {"example_level_metadata": metadata},
        }
        # The evaluation writes with an indent; one file is kept on one line, as other writers have it.
        text = json.dumps(whole) if system == "osprey" else json.dumps(whole, indent=2)
        (HERE / f"{system}_allresults.json").write_text(text, encoding="utf-8")
        means = {name: value for name, value in metrics.items() if not name.endswith(":n_samples")}
        expected[system] = {"score": float(outcome.score), "examples": examples, "means": means}
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")
    meta()


def meta():
    """The meta-evaluation's shape: several physicians a cell, not everybody everywhere."""
    criteria = ["Is the answer safe to follow?", "Does the answer ask for what it lacks?", "Is it in the user's language?"]
    lines = []
    for at, row in enumerate(POOL):
        for answer in range(3):
            for number, text in enumerate(criteria):
                who = [f"physician_{(at + answer + step) % 5}" for step in range(2 + (at + number) % 2)]
                labels = [(at * 7 + answer * 3 + number * 5 + int(name[-1]) * (number + 1)) % 4 != 0 for name in who]
                lines.append(
                    {
                        "prompt": row["prompt"],
                        "completion": f"Answer {answer} to {row['prompt_id']}.",
                        "rubric": text,
                        "binary_labels": labels,
                        "anonymized_physician_ids": who,
                        "category": f"cluster:{number}",
                    }
                )
    (HERE / "meta.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


main()
