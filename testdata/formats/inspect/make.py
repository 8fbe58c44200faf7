"""Makes the Inspect logs beside this file: small evals of invented content, run by the real package.

    python -m venv venv && venv/bin/pip install inspect_ai==0.3.285
    venv/bin/python testdata/formats/inspect/make.py

No model is called: `mockllm` answers what this file says. Identifiers, times, events and paths of the machine are replaced through the
package's own classes before a log is written, so that two runs differ only in the dates inside the archives and in `cut-off.eval`, which a
process leaves behind when it ends in the middle of a run.
"""

import logging
import os
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

os.environ["INSPECT_DISPLAY"] = "none"
os.environ["INSPECT_LOG_LEVEL"] = "error"

from inspect_ai import Epochs, Task, eval as run_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, ProvenanceData, edit_score, read_eval_log, write_eval_log
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, ScoreEdit, accuracy, choice, match, mean, model_graded_qa, scorer, stderr
from inspect_ai.solver import generate, multiple_choice, solver, system_message

HERE = Path(__file__).resolve().parent
DAY = datetime(2026, 1, 5, 9, 0, tzinfo=timezone.utc)



def says(model: str, *texts: str):
    """A model that says these texts in turn; usage is given, because the package would count tokens with a file from the network."""
    outputs = []
    for text in texts:
        output = ModelOutput.from_content(model, text)
        output.usage = ModelUsage(input_tokens=9, output_tokens=len(text.split()), total_tokens=9 + len(text.split()))
        outputs.append(output)
    return get_model(model, custom_outputs=outputs)


# ---------------------------------------------------------------- the desk: two systems, a rubric of four criteria

TOPICS = [
    "a parcel that came open", "a fee charged twice", "a lost card", "a late refund", "a wrong address", "a broken seal",
    "a missing receipt", "a changed name", "a blocked account", "a double booking", "a cancelled trip", "an expired voucher",
    "a forgotten password", "a damaged box", "a wrong size", "a delayed train", "an unpaid bill", "a closed branch",
    "a stolen bag", "a faulty lamp", "a cold meal", "a noisy room", "a torn ticket", "an empty tank",
    "a wrong colour", "a late courier", "a lost key", "a false alarm", "a slow line", "a strange charge",
    "a missed call", "a split order",
]
ABILITY = {"alpha": 11, "beta": 7}
CRITERIA = {"names_step": 3, "gives_deadline": 8, "invents_nothing": 1, "says_whom_to_call": 12}


def draw(*parts) -> int:
    """A number from 0 to 15 that depends on the parts alone."""
    value = 2166136261
    for byte in "|".join(map(str, parts)).encode():
        value = (value ^ byte) * 16777619 % 2**32
    return (value >> 16) % 16


def desk_answer(system: str, number: int, epoch: int) -> str:
    met = [name for name, hard in CRITERIA.items() if ABILITY[system] + draw(system, number, epoch, name) - 8 >= hard]
    says = {
        "names_step": "Open the form under Help and choose this case.",
        "gives_deadline": "Do it within 14 days.",
        "invents_nothing": "I know nothing more about it.",
        "says_whom_to_call": "Call 0100 if it is urgent.",
    }
    return " ".join(says[name] for name in met) or "Please wait."


@scorer(metrics={name: [mean(), stderr()] for name in CRITERIA})
def desk_rubric(model: str = "mockllm/grader"):
    async def score(state, target):
        number = int(str(state.sample_id).split("-")[1])
        text = state.output.completion
        value = {
            "names_step": int("form" in text),
            "gives_deadline": int("14 days" in text),
            "invents_nothing": int("nothing more" in text),
            "says_whom_to_call": int("Call" in text),
        }
        if number == 7 and state.epoch == 2:
            value["gives_deadline"] = None
        if number == 19:
            return Score.unscored(reason="grader_failed", explanation="the grader gave no verdict")
        return Score(value=value, explanation=f"read: {len(text)} characters")

    return score


def desk(system: str) -> None:
    samples = [
        Sample(
            id=f"desk-{number:02}",
            input=f"What do I do about {topic}?",
            target="",
            metadata={"area": "orders" if number % 2 else "accounts"},
        )
        for number, topic in enumerate(TOPICS, start=1)
    ]
    @solver
    def answer():
        async def solve(state, generate):
            number = int(str(state.sample_id).split("-")[1])
            text = desk_answer(system, number, state.epoch)
            state.output = ModelOutput.from_content(f"mockllm/{system}", text)
            state.messages.append(state.output.message)
            return state

        return solve

    task = Task(samples, solver=answer(), scorer=desk_rubric(), epochs=Epochs(2, "mean"), name="desk")
    save(task, f"desk-{system}.eval", model=get_model(f"mockllm/{system}"))


# ---------------------------------------------------------------- choices, grades, odd values, ends of every kind


def choices() -> None:
    samples = [
        Sample(id=number, input=question, choices=options, target=target)
        for number, (question, options, target) in enumerate(
            [
                ("Which form extends the time to file?", ["Form 12", "Form 48", "Form 7"], "B"),
                ("Who signs it?", ["The filer", "A neighbour"], "A"),
                ("When is it due?", ["In April", "In June", "Never"], "A"),
                ("How is it sent?", ["By post", "By lamp"], "A"),
            ],
            start=1,
        )
    ]
    model = says("mockllm/alpha", *(f"ANSWER: {letter}" for letter in "BACA"))
    task = Task(samples, solver=multiple_choice(), scorer=choice(), name="choices")
    save(task, "choices.eval", model=model, max_samples=1)


def graded() -> None:
    samples = [
        Sample(id=name, input=[ChatMessageSystem(content="Be brief."), ChatMessageUser(content=question)], target=target)
        for name, question, target in [
            ("salt", "May I store salt near the kettle?", "Yes, if it is dry."),
            ("ice", "Why does ice float?", "It is less dense than water."),
            ("ünïcode \u200b/../x", "Ist „Öl“ schwerer als Wasser? \U0001f9ea\u0000 <script>alert(1)</script>", "Nein."),
        ]
    ]
    model = says("mockllm/alpha", "Yes.", "Magic.", "Nein, \u202eleichter.", "Dry.", "Less dense.", "Nein.")
    grades = ["It is there.\nGRADE: C", "Not so.\nGRADE: I", "In part.\nGRADE: P", "GRADE: C", "I cannot say.", "GRADE: P"]
    grader = says("mockllm/grader", *grades)
    task = Task(
        samples,
        solver=generate(),
        scorer=model_graded_qa(partial_credit=True, model=grader),
        epochs=Epochs(2, ["mean", "at_least_1"]),
        name="graded",
    )
    log = save(task, "graded.json", model=model, max_samples=1)
    write_eval_log(log, str(HERE / "graded.eval"))


@scorer(metrics=[mean()])
def odd():
    values = {
        "true": True, "half": 0.5, "five": 5, "word": "maybe", "yes": "Yes", "digits": "0.25", "list": [1, 0, "C"], "nan": float("nan"),
        "none": "N", "negative": -2, "infinite": float("inf"), "dict": {"clear": "C", "short": 0.5, "kind": None, "a/b\n": True},
    }

    async def score(state, target):
        return Score(value=values[str(state.sample_id)], answer=state.output.completion[:5], explanation="as it came")

    return score


@scorer(metrics=[accuracy()])
def second():
    async def score(state, target):
        return Score(value="C", answer="B", metadata={"note": "kept nowhere"})

    return score


def odd_values() -> None:
    names = ["true", "half", "five", "word", "yes", "digits", "list", "nan", "none", "negative", "infinite", "dict"]
    samples = [Sample(id=name, input=f"Say {name}.", target=["a", "b"]) for name in names]
    model = says("mockllm/alpha", *(f"I say {name}." for name in names))
    task = Task(samples, solver=generate(), scorer=[odd(), second()], name="odd")
    log = save(task, "odd.json", model=model, max_samples=1)
    provenance = ProvenanceData(author="a reader", reason="read again", timestamp=DAY)
    edit_score(log, "half", "odd", ScoreEdit(value=1, explanation="read again: met", provenance=provenance), recompute_metrics=False)
    write_eval_log(log, str(HERE / "odd.json"))


def ends() -> None:
    @solver
    def ending():
        async def solve(state, generate):
            if state.sample_id == "breaks":
                raise RuntimeError("the kettle is empty")
            state = await generate(state)
            if state.sample_id == "long":
                for _ in range(9):
                    state.messages.append(ChatMessageUser(content="More?"))
                    state = await generate(state)
            return state

        return solve

    image = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg=="
    samples = [
        Sample(id="fine", input="Say it.", target="fine"),
        Sample(id="breaks", input="Break.", target=""),
        Sample(id="long", input="Talk on.", target="fine"),
        Sample(
            id="picture",
            input=[ChatMessageUser(content=[ContentText(text="What is this?"), ContentImage(image=image)])],
            target="fine",
        ),
    ]
    spoken = ["It is fine"] * 40
    task = Task(samples, solver=[system_message("You are a desk."), ending()], scorer=match(), name="ends", message_limit=6)
    log = save(task, "ends.eval", model=says("mockllm/alpha", *spoken), max_samples=1, fail_on_error=False)
    write_eval_log(log, str(HERE / "ends.json"))


def cut_off() -> None:
    """A process that ends in the middle of a run leaves an archive with a journal and no header."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, __file__, "--cut-off", folder], check=False)
        [log] = Path(folder).glob("*.eval")
        (HERE / "cut-off.eval").write_bytes(log.read_bytes())


def run_and_end(folder: str) -> None:
    @solver
    def ending():
        async def solve(state, generate):
            if state.sample_id == 4:
                os._exit(3)
            return await generate(state)

        return solve

    samples = [Sample(id=number, input=f"Count to {number}.", target=str(number)) for number in range(1, 7)]
    model = says("mockllm/alpha", "1", "2", "4")
    task = Task(samples, solver=ending(), scorer=match(), name="cut-off")
    run_eval(task, model=model, log_dir=folder, max_samples=1, log_buffer=1, log_format="eval", score_display=False)


# ---------------------------------------------------------------- running and tidying


def save(task: Task, name: str, **options) -> EvalLog:
    with tempfile.TemporaryDirectory() as folder:
        [log] = run_eval(task, log_dir=folder, log_format="json", score_display=False, **options)
        log = read_eval_log(log.location)
    log = tidy(log)
    write_eval_log(log, str(HERE / name))
    return log


def tidy(log: EvalLog) -> EvalLog:
    """Replaces what differs from run to run and from machine to machine, and drops what no reader of scores needs."""
    spec = log.eval
    spec.eval_id, spec.run_id, spec.task_id = f"eval-{spec.task}", f"run-{spec.task}", f"task-{spec.task}"
    spec.created, spec.model_args = DAY.isoformat(), {}
    for used in spec.scorers or []:
        if isinstance((used.options or {}).get("model"), dict):
            used.options["model"]["model_args"] = {}
    spec.revision, spec.task_file, spec.packages = None, None, {"inspect_ai": spec.packages["inspect_ai"]}
    log.stats.started_at = log.stats.completed_at = DAY.isoformat()
    for at, sample in enumerate(log.samples or []):
        sample.uuid = f"sample-{at}"
        sample.events, sample.events_data, sample.timelines, sample.store = [], None, None, {}
        sample.started_at = sample.completed_at = (DAY + timedelta(seconds=at)).isoformat()
        sample.total_time, sample.working_time = 0.25, 0.125
        sample.output.time = 0.125 if sample.output.time is not None else None
        if sample.error is not None:
            sample.error.traceback = sample.error.traceback_ansi = "left out"
        messages = [*sample.messages, *(choice.message for choice in sample.output.choices)]
        messages += sample.input if isinstance(sample.input, list) else []
        for place, message in enumerate(messages):
            message.id = f"m{place}"
        for score in (sample.scores or {}).values():
            for grading in (score.metadata or {}).get("grading", []):
                if isinstance(grading, dict):
                    grading["id"] = "g"
    return log


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    if sys.argv[1:2] == ["--cut-off"]:
        run_and_end(sys.argv[2])
        sys.exit(0)
    desk("alpha")
    desk("beta")
    choices()
    graded()
    odd_values()
    ends()
    cut_off()
