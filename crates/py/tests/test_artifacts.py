"""Artifacts: their text, their tables, what they show, and how they are kept."""

import copy
import multiprocessing
import pathlib
import pickle
import re
from html.parser import HTMLParser

import calibrant
import pytest

ROOT = pathlib.Path(__file__).parents[3]
OLD = ROOT / "testdata" / "artifacts" / "v1"
CLASSES = {
    "calibration": calibrant.Calibration,
    "fit": calibrant.Fit,
    "bank": calibrant.Bank,
    "scores": calibrant.Scores,
    "agreement": calibrant.Agreement,
}


@pytest.fixture(scope="module")
def made():
    """A run of a simulated panel, with an agreement and a comparison of rules."""
    panel = calibrant.simulate_panel(systems=4, queries=11, criteria=3, judges=3, seed=2)
    run = calibrant.run(panel, replicates=40)
    return run, calibrant.agree(panel), calibrant.roll_ups(panel, ["all", "at_least:1"]), calibrant.disagreements(panel)


def artifacts(made):
    """Everything of the fixture that is an artifact."""
    run, agreement, roll_ups, _ = made
    return [run.calibration, run.fit, run.bank, run.scores, agreement, roll_ups]


@pytest.mark.parametrize("name", CLASSES)
def test_artifacts_of_earlier_versions_load(name):
    artifact = CLASSES[name].read(OLD / f"{name}.json")
    assert artifact.format == f"calibrant.{name}/1"
    assert artifact.to_dict()["format"] == artifact.format
    assert repr(artifact).startswith(f"<{name.capitalize()}: ")
    for row in artifact.warnings:
        assert row.severity in {"grave", "limits", "note"} and row.message and row.action


def test_the_file_of_another_artifact_is_refused():
    with pytest.raises(calibrant.InputError) as refused:
        calibrant.Fit.read(OLD / "bank.json")
    assert refused.value.findings[0].id == "artifact-format"
    assert "calibrant.bank/1" in refused.value.findings[0].message
    with pytest.raises(calibrant.InputError) as refused:
        calibrant.Fit.from_json("{")
    assert refused.value.findings[0].id == "artifact-unreadable"
    with pytest.raises(calibrant.FileError) as missing:
        calibrant.Fit.read("no such file")
    assert missing.value.path == "no such file"


def test_a_file_is_the_text(made, tmp_path):
    for artifact in artifacts(made):
        path = tmp_path / "artifact.json"
        artifact.write(path)
        assert path.read_text() == artifact.to_json()
        again = type(artifact).read(path)
        assert again == artifact and hash(again) == hash(artifact)
    with pytest.raises(calibrant.FileError):
        made[0].fit.write(tmp_path / "nowhere" / "fit.json")


def test_pickle_and_copy_keep_everything(made):
    for artifact in artifacts(made):
        assert pickle.loads(pickle.dumps(artifact)) == artifact
        assert copy.deepcopy(artifact) == artifact
    run = made[0]
    calibration = pickle.loads(pickle.dumps(run.calibration))
    assert calibrant.fit(calibration) == run.fit
    assert pickle.loads(pickle.dumps(run.scores)).responses.to_dict() == run.scores.responses.to_dict()


def fitted(calibration):
    """A fit in another process."""
    return calibrant.fit(calibration)


def test_another_process_makes_the_same(made):
    run = made[0]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(fitted, [run.calibration]) == [run.fit]


def test_tables_have_the_rows_of_the_json(made):
    run, agreement, roll_ups, _ = made
    tables = {
        run.calibration: ["criteria", "judges", "sweep", "attrition"],
        run.fit: ["items", "dropped", "systems"],
        run.bank: ["criteria"],
        run.scores: ["systems"],
        agreement: ["criteria", "coefficients", "pairs", "prevalence", "without_label", "sizes", "repeats", "validity", "readings"],
        roll_ups: ["rules", "gaps"],
    }
    for artifact, names in tables.items():
        content = artifact.to_dict()
        for name in names:
            table, rows = getattr(artifact, name), content[name]
            assert len(table) == len(rows), name
            columns = table.to_dict()
            for row, cells in zip(rows, zip(*columns.values(), strict=True), strict=True):
                assert list(row) == [column for column in table.columns if column in row]
                for column, cell in zip(columns, cells, strict=True):
                    if row.get(column) is None or isinstance(row[column], (int, float, str)):
                        assert cell == row.get(column), (name, column)


def test_reasons_stand_beside_what_is_missing(tmp_path):
    path = tmp_path / "v.csv"
    rows = [f"{s},{q},c{k},j,{(q + i * k) % 2}" for i, s in enumerate("abc") for q in range(4) for k in range(2)]
    path.write_text("system,query,criterion,judge,label\n" + "\n".join(rows) + "\n")
    calibration = calibrant.calibrate(path)
    columns = calibration.criteria.to_dict()
    assert columns["measurability"] == [None, None]
    assert len(set(columns["measurability_undefined"])) == 1 and columns["measurability_undefined"][0].isidentifier()
    # The undefined number is NaN in the array of its column, and the column is one of numbers although every cell is empty.
    assert calibration.criteria["measurability"].dtype.kind == "f"


def test_scalars_are_those_of_the_file(made):
    run = made[0]
    bank = run.bank.to_dict()
    for name in ("method", "model", "budget", "budget_rule", "threshold", "feasible", "pool", "utility", "feasible_utility", "optimum_bound"):
        assert getattr(run.bank, name) == bank[name], name
    scores = run.scores.to_dict()
    for name in ("tier_rule", "pairs_separated", "effective_criteria", "interval", "roll_up", "seed", "inputs", "settings"):
        assert getattr(run.scores, name) == scores[name], name
    fit = run.fit.to_dict()
    for name in ("model", "grid", "log_likelihood", "log_posterior", "convergence", "comparison"):
        assert getattr(run.fit, name) == fit[name], name


def test_what_a_file_does_not_hold_is_named():
    calibration = calibrant.Calibration.read(OLD / "calibration.json")
    with pytest.raises(calibrant.ArgumentError, match=r"Run\.read"):
        calibration.labels
    with pytest.raises(calibrant.ArgumentError, match="responses"):
        calibrant.Scores.read(OLD / "scores.json").responses


class Tags(HTMLParser):
    """Counts the tags of a fragment and notes what would reach out of it."""

    VOID = {"br", "col", "hr", "img", "link", "meta"}

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.outside = [], set(), []

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        self.outside += [name for name, _ in attributes if name in {"src", "href", "onclick", "onload"}]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_notebooks_see_doubts_first_and_nothing_runs(made):
    run, agreement, roll_ups, disagreements = made
    shown = [*artifacts(made), run, disagreements]
    for artifact in shown:
        html = artifact._repr_html_()
        tags = Tags()
        tags.feed(html)
        assert tags.open == [] and tags.outside == [] and "script" not in tags.seen, artifact
        assert "http" not in html
    html = run._repr_html_()
    assert html.index("Next:") < html.index("<table")
    for doubt in run.warnings:
        assert re.sub(r"\s+", " ", doubt.message)[:40].replace("'", "&#39;") in html
    assert "[" in run.scores._repr_html_() and "Tier" in run.scores._repr_html_()


def test_ids_are_text_and_not_mark_up(tmp_path):
    path = tmp_path / "v.csv"
    rows = [f"<b>{s}</b>,{q},c{k},j{j},{(q + i + k * j) % 2}" for i, s in enumerate("abc") for q in range(6) for k in range(3) for j in (1, 2)]
    path.write_text("system,query,criterion,judge,label\n" + "\n".join(rows) + "\n")
    run = calibrant.run(path, replicates=20)
    for artifact in (run.scores, run.fit, run.calibration, run):
        assert "<b>" not in artifact._repr_html_()


def test_reports_are_written_in_the_form_of_their_name(made, tmp_path):
    run = made[0]
    run.report(tmp_path / "report.html", title="A title of mine")
    assert "<h1>A title of mine</h1>" in (tmp_path / "report.html").read_text()
    calibrant.report(run.calibration, run.scores, tmp_path / "report.md", fit=run.fit, bank=run.bank, charts="none")
    assert (tmp_path / "report.md").read_text().startswith("# Calibrated leaderboard")
    with pytest.raises(calibrant.ArgumentError, match=r"\.html or \.md"):
        run.report(tmp_path / "report.pdf")
