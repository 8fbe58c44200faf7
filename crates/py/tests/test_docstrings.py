"""Every public object is documented in the form of numpydoc: each argument, what comes back, and what is raised.

What is asked of each is the list `ASKED`; the rest of numpydoc's rules are about taste.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pydoc import locate
from types import ModuleType

import calibrant
import calibrant.stats
import pytest
from numpydoc.validate import validate

ASKED = {
    "GL07": "sections are in the order of numpydoc",
    "GL08": "there is a docstring",
    "SS01": "there is a summary",
    "SS02": "the summary begins with a capital letter",
    "SS03": "the summary ends with a period",
    "SS06": "the summary is one line",
    "PR01": "every argument is documented",
    "PR02": "no argument is documented that does not exist",
    "PR04": "every argument has a type",
    "PR07": "every argument has a description",
    "RT01": "what comes back is documented",
    "RT03": "what comes back has a description",
}

def members(module: ModuleType) -> Iterator[str]:
    """The dotted names of everything public: functions, classes, and what classes have beyond operators."""
    for name in module.__all__:
        value = getattr(module, name)
        path = f"{module.__name__}.{name}"
        if inspect.ismodule(value) or not callable(value):
            continue
        yield path
        if inspect.isclass(value):
            yield from (f"{path}.{member}" for member in sorted(vars(value)) if not member.startswith("_") and documented(value, member))


def documented(owner: type, member: str) -> bool:
    """Whether a member is code of ours: fields of dataclasses and exceptions are told in their class."""
    value = inspect.getattr_static(owner, member)
    return callable(value) or isinstance(value, (staticmethod, classmethod, property)) or inspect.isgetsetdescriptor(value)


PUBLIC = sorted({*members(calibrant), *members(calibrant.stats)})


def test_there_is_something_to_look_at() -> None:
    assert len(PUBLIC) > 50


@pytest.mark.parametrize("path", PUBLIC)
def test_documentation_has_its_form(path: str) -> None:
    wrong = [f"{code}: {message}" for code, message in validate(path)["errors"] if code in ASKED.keys() - excused(path)]
    assert not wrong, "\n".join([path, *wrong])


def excused(path: str) -> set[str]:
    """What is told elsewhere: arguments of a record are its attributes, and a property opens with its type or stands in its class."""
    owner, _, member = path.rpartition(".")
    found = locate(path)
    if inspect.isclass(found):
        return {"PR01"} if "Attributes\n----------\n" in (inspect.getdoc(found) or "") else set()
    if callable(found):
        return set()
    lines = (inspect.getdoc(locate(owner)) or "").splitlines()
    named = {name for line in lines if " : " in line for name in line.partition(" : ")[0].split(", ")}
    return {"SS02", "GL08"} if member in named else {"SS02"}


def test_every_member_of_the_package_is_public_by_name() -> None:
    """What can be reached as `calibrant.x` without an underscore is in `__all__`, or is a module."""
    for name, value in vars(calibrant).items():
        assert name.startswith("_") or name in calibrant.__all__ or inspect.ismodule(value), name
    assert len(set(calibrant.__all__)) == len(calibrant.__all__)
