"""The steps: the same numbers as the program, in memory and in a folder, whatever the number of threads."""

import os
import pathlib
import re
import subprocess
import sys

import calibrant
import pytest

ROOT = pathlib.Path(__file__).parents[3]
ARTIFACTS = ["calibration", "fit", "bank", "scores"]
FEW = 60  # replicates: the bytes are compared, not the coverage


def program(*arguments, cwd=None):
    """Run the command line in a process of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CALIBRANT_")}
    return subprocess.run(
        [sys.executable, "-m", "calibrant", *map(str, arguments)], cwd=cwd, env=kept, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    """A small simulated panel with its table and the run that the program makes of it."""
    folder = tmp_path_factory.mktemp("panel")
    drawn = calibrant.simulate_panel(systems=5, queries=12, criteria=3, judges=3, seed=4)
    drawn.write(folder / "verdicts.csv")
    done = program("run", "--verdicts", "verdicts.csv", "--out", "out", "--replicates", FEW, cwd=folder)
    assert done.returncode == 0, done.stderr
    return drawn, folder


def road(verdicts, **options):
    """The four artifacts by their own steps."""
    calibration = calibrant.calibrate(verdicts, **options)
    fit = calibrant.fit(calibration)
    bank = calibrant.assemble(calibration, fit)
    return [calibration, fit, bank, calibrant.score(calibration, fit, bank, replicates=FEW)]


def test_steps_make_the_bytes_of_the_program(panel):
    _, folder = panel
    made = road(calibrant.read_verdicts(folder / "verdicts.csv"))
    for name, artifact in zip(ARTIFACTS, made, strict=True):
        assert artifact.to_json() == (folder / "out" / f"{name}.json").read_text(), name


def test_a_table_from_memory_differs_in_hashes_of_inputs_alone(panel):
    _, folder = panel
    frame = calibrant.read_verdicts(folder / "verdicts.csv").to_table()
    for name, artifact in zip(ARTIFACTS, road(frame), strict=True):
        ours, theirs = artifact.to_dict(), getattr(calibrant, name.capitalize()).read(folder / "out" / f"{name}.json").to_dict()
        inputs, other = ours.pop("inputs"), theirs.pop("inputs")
        assert ours == theirs, name
        if name == "calibration":
            assert list(inputs) == ["verdicts in memory"] and list(other) == ["verdicts"]
        else:
            assert list(inputs) == list(other)


def test_a_run_in_a_folder_writes_what_the_program_writes(panel, tmp_path, monkeypatch):
    _, folder = panel
    monkeypatch.chdir(folder)
    (folder / "out").rename(tmp_path / "programs")
    try:
        made = calibrant.run("verdicts.csv", out="out", replicates=FEW)
        files = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
    finally:
        (folder / "out").rename(tmp_path / "ours")
        (tmp_path / "programs").rename(folder / "out")
    theirs = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
    # The manifest counts nothing and has no clock: it is the same too.
    assert files == theirs
    assert made.folder == pathlib.Path("out")
    assert made.scores.responses.to_dict() == calibrant.Run.read(folder / "out").scores.responses.to_dict()


def test_a_run_in_memory_is_the_steps(panel):
    drawn, folder = panel
    made = calibrant.run(folder / "verdicts.csv", replicates=FEW)
    assert [made.calibration, made.fit, made.bank, made.scores] == road(folder / "verdicts.csv")
    assert made.folder is None and made.blocks is None
    simulated = calibrant.run(drawn, replicates=FEW)
    assert simulated.warnings[0].id == "simulated" and simulated.warnings[0].severity == "grave"
    assert simulated.scores.systems.to_dict() == made.scores.systems.to_dict()


def test_threads_change_nothing(panel):
    _, folder = panel
    code = (
        "import calibrant, sys; made = calibrant.run(sys.argv[1], replicates=60);"
        "sys.stdout.write(made.scores.to_json() + made.calibration.to_json() + made.bank.to_json())"
    )
    said = []
    for threads in ("1", "3"):
        run = [sys.executable, "-c", code, str(folder / "verdicts.csv")]
        said.append(subprocess.run(run, env={**os.environ, "RAYON_NUM_THREADS": threads}, capture_output=True, check=True).stdout)
    assert said[0] == said[1] and len(said[0]) > 1000


def test_blocks_are_folders(panel, tmp_path):
    _, folder = panel
    lines = (folder / "verdicts.csv").read_text().splitlines()
    divided = [lines[0] + ",domain"] + [f"{line},{'left' if int(line.split(',')[1][-2:]) % 2 else 'right'}" for line in lines[1:]]
    (tmp_path / "v.csv").write_text("\n".join(divided) + "\n")
    made = calibrant.run(tmp_path / "v.csv", out=tmp_path / "out", by="domain", replicates=FEW)
    assert made.blocks.by == "domain" and made.blocks.blocks.to_dict()["block"] == ["left", "right"]
    with pytest.raises(calibrant.ArgumentError, match="not divided"):
        calibrant.run(tmp_path / "v.csv", by="domain")


def test_agreement_and_roll_ups_are_the_programs(panel):
    _, folder = panel
    table = folder / "verdicts.csv"
    assert calibrant.agree(table).to_json() == program("agree", "--json", "--verdicts", table).stdout
    rules = ["all", "at_least:2"]
    said = program("roll-up", "--json", "--verdicts", table, "--rule", rules[0], "--rule", rules[1]).stdout
    assert calibrant.roll_ups(table, rules).to_json() == said
    said = program("grade", "review", "--json", "--verdicts", table).stdout
    assert calibrant.disagreements(table).to_json() == said
    analytic = calibrant.agree(table, intervals="analytic")
    assert analytic.intervals == "analytic" and len(analytic.coefficients) == len(calibrant.agree(table).coefficients)


def test_new_systems_are_scored_on_a_bank(panel, tmp_path):
    _, folder = panel
    bank = calibrant.Bank.read(folder / "out" / "bank.json")
    done = program("score", "--verdicts", folder / "verdicts.csv", "--bank", folder / "out" / "bank.json", "--out", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    calibration = calibrant.calibrate(folder / "verdicts.csv", bank)
    scores = calibrant.score(calibration, bank=bank)
    assert scores.to_json() == (tmp_path / "new" / "scores.json").read_text()
    assert scores.systems.to_dict()["score"] == [None] * 5 or all(scores.systems["bank_score"] >= 0)


def test_gold_stays_out_of_the_panel(panel):
    _, folder = panel
    table = folder / "verdicts.csv"
    named = calibrant.calibrate(table, gold=["judge-3"])
    assert named.panel["judges"] == 2
    assert set(named.sweep.to_dict()["held_out"]) == {"gold"}
    assert calibrant.calibrate(table, judges=["judge-1", "judge-2"]).settings["panel"] == "judge-1, judge-2"


def table_of(tmp_path, rows):
    """A table of verdicts: system, query, criterion, judge, label."""
    path = tmp_path / "table.csv"
    path.write_text("system,query,criterion,judge,label\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


def words_of_the_program(path, command):
    """What the program says of a table it refuses: the message and the help."""
    done = program(command, "--verdicts", path, "--out", path.parent / "refused")
    assert done.returncode == 2
    said = re.search(r"error: (.*)\nhelp: (.*)", done.stderr.strip())
    assert said, done.stderr
    return said.group(1), said.group(2)


@pytest.mark.parametrize(
    ("reason", "rows"),
    [
        ("one_system", [("a", q, "c", j, (q + j) % 2) for q in range(4) for j in (1, 2)]),
        ("nothing_varies", [(s, q, "c", j, 1) for s in "ab" for q in range(4) for j in (1, 2)]),
    ],
)
def test_what_has_no_meaning_is_refused_in_the_words_of_the_program(tmp_path, reason, rows):
    path = table_of(tmp_path, rows)
    calibration = calibrant.calibrate(path)
    with pytest.raises(calibrant.StepError) as refused:
        calibrant.fit(calibration)
    assert refused.value.reason == reason
    assert (refused.value.message, refused.value.help) == words_of_the_program(path, "fit")


def test_one_judge_has_no_measurability_and_says_so(tmp_path):
    rows = [(s, q, c, "j", (q + i + k) % 2) for i, s in enumerate("abc") for q in range(6) for k, c in enumerate("xy")]
    calibration = calibrant.calibrate(table_of(tmp_path, rows))
    assert calibration.criteria.to_dict()["measurability"] == [None] * 2
    assert set(calibration.criteria.to_dict()["measurability_undefined"]) != {None}
    assert "one-judge" in [doubt.id for doubt in calibration.warnings]
    assert len(calibration.sweep) == 0 and "threshold" in calibration.sweep.columns
    with pytest.raises(calibrant.StepError) as refused:
        calibrant.agree(table_of(tmp_path, rows))
    assert refused.value.reason == "nobody_to_compare"


@pytest.mark.parametrize(
    ("call", "argument", "said"),
    [
        (lambda c: calibrant.fit(c, grid="refine"), "grid", "did you mean `refined`?"),
        (lambda c: calibrant.fit(c, model="3PL"), "model", "2PL, 1PL"),
        (lambda c: calibrant.fit(c, seed=-1), "seed", "a whole number"),
        (lambda c: calibrant.fit("labels.csv"), "labels", "give a Calibration"),
        (lambda c: calibrant.score(c), "fit", "neither a fit nor a bank"),
        (lambda c: calibrant.calibrate("v.csv", threshold=1.5), "threshold", "a number between 0 and 1"),
        (lambda c: calibrant.calibrate(3), "verdicts", "int"),
        (lambda c: calibrant.agree("v.csv", intervals="bootstrp"), "intervals", "did you mean `bootstrap`?"),
        (lambda c: calibrant.disagreements("v.csv", systems="shown"), "systems", "hidden, named"),
        (lambda c: calibrant.roll_ups("v.csv", ["most"]), "rules", "at_least:2"),
        (lambda c: calibrant.simulate_panel(judges=0), "judges", "1 or more"),
        (lambda c: calibrant.simulate_panel(queries=10**9), "systems", "too large"),
    ],
)
def test_wrong_arguments_name_themselves_and_the_way_out(panel, call, argument, said):
    calibration = calibrant.calibrate(panel[1] / "verdicts.csv")
    with pytest.raises(calibrant.ArgumentError) as wrong:
        call(calibration)
    assert wrong.value.argument == argument
    assert said in str(wrong.value)


def test_a_rubric_on_another_scale_than_the_verdicts_is_refused(panel):
    verdicts = calibrant.read_verdicts(panel[1] / "verdicts.csv")
    text = "rubric: r\ncriteria:\n  - id: criterion-01\n    question: How well does the answer say it?\n    scale: 1..5\n"
    rubric = calibrant.Rubric.parse(text)
    with pytest.raises(calibrant.InputError) as refused:
        calibrant.calibrate(verdicts, rubric)
    assert refused.value.findings[0].id == "other-scale"


def test_files_with_mistakes_are_findings(tmp_path):
    with pytest.raises(calibrant.InputError) as wrong:
        calibrant.calibrate(table_of(tmp_path, [("a", 1, "c", "j", "perhaps")]))
    assert wrong.value.findings[0].line == 2
    with pytest.raises(calibrant.InputError):
        calibrant.calibrate(tmp_path / "nothing.csv")


def test_check_finds_what_the_program_finds(tmp_path):
    path = tmp_path / "rubric.yaml"
    path.write_text("rubric: r\ncriteria:\n  - id: good\n    question: Is the answer good and does it cite a source?\n")
    said = __import__("json").loads(program("check", "--json", path).stdout)["findings"]
    ours = calibrant.check(path)
    assert [finding.id for finding in ours] == [finding["id"] for finding in said] != []
    assert [finding.line for finding in ours] == [(finding["span"] or {}).get("line") for finding in said]
    path.write_text("rubric: r\ncriteria:\n  - question: No id?\n")
    assert "error" in {finding.severity for finding in calibrant.check(path)}
    with pytest.raises(calibrant.FileError) as missing:
        calibrant.check(tmp_path / "none.yaml")
    assert missing.value.path == str(tmp_path / "none.yaml")


def test_code_decides_what_code_can(tmp_path):
    rubric = tmp_path / "rubric.yaml"
    rubric.write_text("rubric: r\ncriteria:\n  - id: cites\n    question: Does it cite?\n    check:\n      contains: http\n")
    responses = tmp_path / "responses.jsonl"
    responses.write_text('{"system": "a", "query": "q", "response": "see http"}\n{"system": "b", "query": "q", "response": "no"}\n')
    done = program("check", rubric, "--responses", responses, "--write", tmp_path / "code.csv")
    table = calibrant.check_responses(rubric, responses)
    rows = [dict(zip(table.columns, row, strict=True)) for row in zip(*table.to_dict().values(), strict=True)]
    written = (tmp_path / "code.csv").read_text().splitlines()
    assert written[0].split(",") == table.columns, done.stderr
    assert [line.split(",") for line in written[1:]] == [
        [f"{value:g}" if isinstance(value, float) else value for value in row.values()] for row in rows
    ]
    assert table.to_dict()["label"] == [1.0, 0.0]


DATA = pathlib.Path(os.environ.get("CALIBRANT_DATA", ROOT / ".." / "shared" / "data"))


@pytest.mark.parametrize("name", ["hanna", "realsumm"])
def test_real_data_gives_the_numbers_of_the_program(name, tmp_path):
    folder = DATA / name
    if not folder.is_dir() and os.environ.get("CALIBRANT_REQUIRE_DATA") != "1":
        pytest.skip(f"no data in {folder}")
    done = program("run", "--verdicts", folder / "labels.csv.gz", "--out", tmp_path / "out", "--replicates", FEW, *SCALES[name])
    assert done.returncode == 0, done.stderr
    scale = {"scale": SCALES[name][1]} if SCALES[name] else {}
    made = calibrant.run(folder / "labels.csv.gz", replicates=FEW, **scale)
    for artifact, file in zip([made.calibration, made.fit, made.bank, made.scores], ARTIFACTS, strict=True):
        assert artifact.to_json() == (tmp_path / "out" / f"{file}.json").read_text(), file


SCALES = {"hanna": ["--scale", "1..5"], "realsumm": []}


def test_every_example_of_the_documentation_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "python-steps.md").read_text(), re.M | re.S)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "docs/python-steps.md", "exec"), {})  # noqa: S102 - our own documentation


def test_a_step_tells_that_it_runs_and_ends_when_the_display_raises():
    panel = calibrant.simulate_panel(systems=8, queries=400, criteria=6, judges=3)
    told = []
    calibrant.set_progress(lambda what, done, total: told.append((what, done, total)))
    try:
        calibrant.run(panel, replicates=20_000)
        assert told and {what for what, _, _ in told} == {"run"}
        assert told[-1][1] > told[0][1]

        def raising(what, done, total):
            raise LookupError(what)

        calibrant.set_progress(raising)
        with pytest.raises(LookupError):
            calibrant.run(panel, replicates=20_000)
    finally:
        calibrant.set_progress(None)
    assert calibrant.run(panel).scores.systems.columns
