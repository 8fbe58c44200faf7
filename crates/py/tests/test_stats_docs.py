"""Every statistic has a documentation of one form, its examples run, and its stub says what it takes."""

import ast
import doctest
import inspect
from pathlib import Path

import pytest
from calibrant import _stats, stats

FUNCTIONS = [name for name in stats.__all__ if not inspect.isclass(getattr(stats, name))]
CLASSES = [name for name in stats.__all__ if inspect.isclass(getattr(stats, name))]


def methods() -> list[str]:
    found = []
    for name in CLASSES:
        for member in vars(getattr(stats, name)):
            if not member.startswith("_") and callable(getattr(getattr(stats, name), member)):
                found.append(f"{name}.{member}")
    return found


def native(path: str) -> object:
    found: object = stats
    for part in path.split("."):
        found = getattr(found, part)
    return found


def test_the_facade_has_every_native_statistic() -> None:
    assert sorted(stats.__all__) == sorted(name for name in dir(_stats) if not name.startswith("_"))


@pytest.mark.parametrize("path", FUNCTIONS + CLASSES + methods())
def test_examples_run(path: str) -> None:
    documentation = inspect.getdoc(native(path))
    assert documentation, f"{path} is not documented"
    test = doctest.DocTestParser().get_doctest(documentation, {}, path, None, 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert runner.failures == 0, f"{path}: {runner.failures} of {runner.tries} examples fail"


@pytest.mark.parametrize("path", FUNCTIONS)
def test_documentation_is_whole(path: str) -> None:
    function = native(path)
    documentation = inspect.getdoc(function) or ""
    for section in ("Parameters", "Returns", "Raises", "Notes", "Examples"):
        if (path, section) in {("ranks", "Notes"), ("linked_groups", "Notes")}:
            continue
        assert f"{section}\n{'-' * len(section)}\n" in documentation, f"{path} has no section {section}"
    signature = inspect.signature(function)  # type: ignore[arg-type]
    for parameter in signature.parameters.values():
        named = [line for line in documentation.splitlines() if " : " in line]
        assert any(parameter.name in line.split(" : ")[0].split(", ") for line in named), (
            f"{path} does not say what {parameter.name} is"
        )
        assert parameter.default is not Ellipsis, f"{path} hides the default of {parameter.name}"


def test_the_stub_names_every_statistic() -> None:
    stub = ast.parse((Path(stats.__file__).parent / "_stats.pyi").read_text())
    named = [node.name for node in stub.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert sorted(named) == sorted(stats.__all__)


GUIDE = Path(__file__).parents[3] / "docs" / "python-stats.md"


def test_the_guide_runs() -> None:
    failures, tries = doctest.testfile(str(GUIDE), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert failures == 0 and tries > 10


def test_the_guide_names_every_function() -> None:
    text = GUIDE.read_text()
    missing = [name for name in FUNCTIONS if f"`{name}`" not in text]
    assert not missing
