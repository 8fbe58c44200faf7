"""Makes the logs beside this file with the real lm-eval: `pip install lm-eval==0.4.13`, then `python make.py [FOLDER]`.

The documents are invented and the model answers by rules: no network, no weights.
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
HERE = pathlib.Path(__file__).parent
os.environ["HF_HOME"] = tempfile.mkdtemp()

from lm_eval import evaluator  # noqa: E402
from lm_eval.api.model import LM  # noqa: E402
from lm_eval.loggers import EvaluationTracker  # noqa: E402
from lm_eval.models.api_models import JsonChatStr  # noqa: E402

DATE = "2026-01-02T03-04-05.000000"


class Desk(LM):
    """Answers from rules."""

    tokenizer_name = "desk"

    def apply_chat_template(self, chat_history, add_generation_prompt=True):
        return JsonChatStr(json.dumps(chat_history))

    def chat_template(self, chat_template=False):
        return "desk"

    def generate_until(self, requests, disable_tqdm=False):
        asked = [str(request.args[0]) for request in requests]
        return [
            "You may keep it. The answer is 14 days" if "loan" in text else "It grows. The answer is 12 cents" if "late" in text else "I do not know."
            for text in asked
        ]

    def loglikelihood(self, requests, disable_tqdm=False):
        return [(float("nan") if "Who" in r.args[0] else -1.0 * len(r.args[1]), False) for r in requests]

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        return [-1.0 * len(request.args[0]) for request in requests]


def brevity(doc, results):
    said = results[0]
    return {"is_short": float("nan") if "not know" in said else float(len(said) < 35), "length": float(len(said))}


def task(name, **more):
    base = {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(HERE / "docs.jsonl")}},
        "test_split": "test",
        "doc_to_text": "Q: {{q}}\nA:",
        "doc_to_target": "{{a}}",
        "metadata": {"version": 1},
    }
    return base | more


FILTERS = [
    {"name": "strict", "filter": [{"function": "regex", "regex_pattern": "The answer is (.*)"}, {"function": "take_first"}]},
    {"name": "loose", "filter": [{"function": "take_first"}]},
]
EXACT = [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}]
PLAIN = [
    task("desk_gen", output_type="generate_until", generation_kwargs={"until": ["\n"]}, repeats=2, filter_list=FILTERS, metric_list=EXACT),
    task("desk_choice", output_type="multiple_choice", doc_to_target=0, doc_to_choice=["14 days", "never mind"],
         metric_list=[{"metric": "acc"}, {"metric": "acc_norm"}, {"metric": "brier_score"}]),
    task("desk_text", output_type="loglikelihood_rolling", doc_to_text="", doc_to_target="{{q}}", metric_list=[{"metric": "word_perplexity"}]),
    task("desk_own", output_type="generate_until", generation_kwargs={"until": ["\n"]}, process_results=brevity,
         metric_list=[{"metric": name, "aggregation": "mean", "higher_is_better": True} for name in ("is_short", "length")]),
]
CHAT = [task("desk_chat", output_type="generate_until", generation_kwargs={"until": ["\n"]}, metric_list=EXACT)]


def main():
    work = pathlib.Path(tempfile.mkdtemp())
    for tasks, chat in ((PLAIN, False), (CHAT, True)):
        tracker = EvaluationTracker(output_path=str(work))
        tracker.general_config_tracker.model_name_sanitized = "desk__small"
        tracker.date_id = DATE
        result = evaluator.simple_evaluate(model=Desk(), tasks=tasks, log_samples=True, bootstrap_iters=0, apply_chat_template=chat)
        for name, samples in result["samples"].items():
            tracker.save_results_samples(task_name=name, samples=samples)
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE) / "desk__small"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(work / "desk__small", out)


main()
