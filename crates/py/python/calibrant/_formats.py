"""Files of other tools, in and out."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from . import _calibrant
from ._calibrant import Queries, Rubric, Table, Verdicts
from ._errors import ArgumentError

Path = str | os.PathLike[str]
Progress = Callable[[str, int, int | None], object]


@dataclass(frozen=True)
class Loss:
    """One kind of thing that does not survive a conversion.

    Attributes
    ----------
    what : str
        What it is.
    why : str
        Why it has no place, and what to do where it matters.
    count : int
        How many there were.
    """

    what: str
    why: str
    count: int


@dataclass(frozen=True)
class ImportedFile:
    """One file of an import.

    Attributes
    ----------
    file : str
        Its name as given.
    form : str
        Its form.
    chosen : str
        Who says so: ``"asked"`` or ``"structure"``.
    version : str or None
        The version that it states.
    taken : tuple of str
        What was taken for what, a sentence each.
    losses : tuple of Loss
        What of it does not survive.
    """

    file: str
    form: str
    chosen: str
    version: str | None
    taken: tuple[str, ...]
    losses: tuple[Loss, ...]


@dataclass(frozen=True)
class Import:
    """What files of other tools hold.

    Its parts are objects as any other: ``calibrant.run(found.verdicts, rubric=found.rubric)``, ``polars.DataFrame(found.responses)``. They are
    None where the files have none, and where the rows went into a folder or a ledger.

    Attributes
    ----------
    files : tuple of ImportedFile
        The files in the order in which they were read.
    counts : dict of str to int
        How many criteria, queries, responses and verdicts there are; what is said twice counts once.
    statuses : dict of str to int
        Verdicts by status.
    systems, judges : tuple of str
        The systems and judges, in order.
    losses : tuple of Loss
        What does not survive, over all files.
    rubric : Rubric or None
        The criteria.
    queries : Queries or None
        The prompts and what is known of them.
    responses : Table or None
        ``system, query, sample, response``; the turns of a response stand in one text.
    verdicts : Verdicts or None
        The verdicts, ready for every step.
    verdict_rows : Table or None
        The same with all that is known beside them: ``system, query, sample, criterion, judge, repeat, label, status, probability,
        verdict_source, reason, evidence, comment, flags, model_answered, tokens_in, tokens_out, cost_usd, latency_ms, judged_at``.
    written : tuple of str
        The files written into the folder.
    added, known : int or None
        Verdicts that a ledger took, and those that it said already.
    """

    files: tuple[ImportedFile, ...]
    counts: dict[str, int]
    statuses: dict[str, int]
    systems: tuple[str, ...]
    judges: tuple[str, ...]
    losses: tuple[Loss, ...]
    rubric: Rubric | None = field(default=None, repr=False)
    queries: Queries | None = field(default=None, repr=False)
    responses: Table | None = field(default=None, repr=False)
    verdicts: Verdicts | None = field(default=None, repr=False)
    verdict_rows: Table | None = field(default=None, repr=False)
    written: tuple[str, ...] = ()
    added: int | None = None
    known: int | None = None

    @property
    def taken(self) -> tuple[str, ...]:
        """What was taken for what, over all files, each sentence once."""
        return tuple(dict.fromkeys(sentence for file in self.files for sentence in file.taken))

    def __repr__(self) -> str:
        return f"<Import: {', '.join(f'{count} {noun}' for noun, count in self.counts.items())}; {len(self.losses)} kinds of losses>"

    def _repr_html_(self) -> str:
        rows = [("read", ", ".join(f"{count} {noun}" for noun, count in self.counts.items()))]
        rows += [(f"{file.file}", f"{file.form}" + (f" ({file.version})" if file.version else "")) for file in self.files]
        rows += [("taken", sentence) for sentence in self.taken]
        rows += [(f"lost: {loss.count}", f"{loss.what}: {loss.why}") for loss in self.losses]
        if not self.losses:
            rows.append(("lost", "nothing: everything survives"))
        # Notebooks align cells to the right, and only the style of the cell itself says otherwise.
        left = 'style="text-align: left"'
        cells = "".join(f"<tr><th {left}>{_shown(head)}</th><td {left}>{_shown(text)}</td></tr>" for head, text in rows)
        return f"<table><tbody>{cells}</tbody></table>"


def _shown(text: str) -> str:
    visible = "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in text[:400])
    return html.escape(visible + ("…" if len(text) > 400 else ""))


def _losses(told: Iterable[dict[str, Any]]) -> tuple[Loss, ...]:
    return tuple(Loss(loss["what"], loss["why"], loss["count"]) for loss in told)


def _import(told: dict[str, Any], parts: dict[str, Any]) -> Import:
    files = tuple(
        ImportedFile(
            file["file"],
            file["form"],
            file["chosen"],
            file["version"],
            tuple(file["taken"]),
            _losses(file["losses"]),
        )
        for file in told["files"]
    )
    return Import(
        files=files,
        counts={noun: told[noun] for noun in ("criteria", "queries", "responses", "verdicts")},
        statuses=told["statuses"],
        systems=tuple(told["systems"]),
        judges=tuple(told["judges"]),
        losses=_losses(told["losses"]),
        rubric=parts.get("rubric"),
        queries=parts.get("queries"),
        responses=parts.get("responses"),
        verdicts=parts.get("verdicts"),
        verdict_rows=parts.get("verdict_rows"),
        written=tuple(told.get("written", ())),
        added=told.get("added"),
        known=told.get("known"),
    )


def _names(given: str | Sequence[str] | None) -> list[str]:
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)


def import_files(
    *paths: Path,
    form: str | None = None,
    system: str | Sequence[str] | None = None,
    judge: str | Sequence[str] | None = None,
    layout: Literal["systems-in-rows", "items-in-rows"] = "systems-in-rows",
    out: Path | None = None,
    into: Path | None = None,
    progress: Progress | Literal[False] | None = None,
) -> Import:
    """Read files of other tools.

    Parameters
    ----------
    *paths : str or os.PathLike
        The files, plain, gzip, zstd or zip; read in this order into one project.
    form : str, optional
        The form of all files: ``healthbench``, ``healthbench-meta``, ``inspect``, ``promptfoo``, ``promptfoo-config``,
        ``lm-eval`` or ``wide``. By default each is known by its structure; what was taken is in ``files``.
    system, judge : str or sequence of str, optional
        What answered and who judged, where a file does not say: one for all files, or one a file.
    layout : {"systems-in-rows", "items-in-rows"}
        How a wide matrix lies.
    out : str or os.PathLike, optional
        A project folder to write, as ``calibrant import --out`` does; rows are then not kept in memory.
    into : str or os.PathLike, optional
        A ledger to add the verdicts to, as ``calibrant import --into`` does.
    progress : callable or False, optional
        Called with the name of the file, the rows so far, and None.

    Returns
    -------
    Import
        What was read, taken for what, and lost.

    Raises
    ------
    InputError
        If a file is wrong, of no known form or of several, of a version that is not known, or contradicts another; nothing is
        then written.
    ArgumentError
        If an argument is no word that it can be, or both ``out`` and ``into`` are given.

    Notes
    -----
    The forms, and what becomes of each, are in ``docs/formats/README.md``.
    """
    if out is not None and into is not None:
        raise ArgumentError("rows go to one place", "give out or into, not both", "into")
    names = [os.fspath(path) for path in paths]
    callback = None if progress is False else progress
    if out is None and into is None:
        told, parts = _calibrant.import_rows(names, form, _names(system), _names(judge), layout, callback)
        return _import(json.loads(told), parts)
    told = _calibrant.import_to(
        names,
        form,
        _names(system),
        _names(judge),
        layout,
        None if out is None else os.fspath(out),
        None if into is None else os.fspath(into),
        callback,
    )
    return _import(json.loads(told), {})


def export(
    form: str,
    path: Path,
    *,
    rubric: Path | None = None,
    queries: Path | None = None,
    responses: Path | None = None,
    verdicts: Path | Sequence[Path] = (),
    folder: Path | None = None,
    system: str | None = None,
    judge: str | None = None,
    parameters: Literal["slope-intercept", "slope-difficulty"] | None = None,
    scale: str | None = None,
) -> tuple[Loss, ...]:
    """Write a project in the form of another tool.

    Parameters
    ----------
    form : str
        ``healthbench``, ``inspect-scores``, ``promptfoo-config``, ``wide`` or ``hugging-face``.
    path : str or os.PathLike
        The file to write; for ``hugging-face`` a new folder.
    rubric, queries, responses : str or os.PathLike, optional
        Files of the project.
    verdicts : str or os.PathLike, or a sequence of them, optional
        Tables of verdicts.
    folder : str or os.PathLike, optional
        The folder of a run, for its labels and item parameters, and for its rubric and queries where none are named.
    system : str, optional
        This system alone.
    judge : str, optional
        The labels of this judge; by default those of consensus.
    parameters : {"slope-intercept", "slope-difficulty"}, optional
        Item parameters in the place of labels, for ``wide``.
    scale : str, optional
        The scale of the labels where no rubric declares one: ``binary``, ``1..5`` or ``0,0.5,1``.

    Returns
    -------
    tuple of Loss
        What does not survive.

    Raises
    ------
    InputError
        If something is missing that the form cannot do without, an input is wrong, or a file is there that holds something else.
    ArgumentError
        If an argument is no word that it can be.
    """

    def fspath(given: Path | None) -> str | None:
        return None if given is None else os.fspath(given)

    tables = [verdicts] if isinstance(verdicts, (str, os.PathLike)) else list(verdicts)
    told = _calibrant.export_files(
        form,
        os.fspath(path),
        fspath(rubric),
        fspath(queries),
        fspath(responses),
        [os.fspath(table) for table in tables],
        fspath(folder),
        system,
        judge,
        parameters,
        scale,
    )
    return _losses(json.loads(told)["losses"])
