"""Examples that are statements: what they show is asked, or the derivation says that it is not."""

from __future__ import annotations

import doctest
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from builders import by_id, submission
from small_specs import REFERENCE, box, derived

from grader.judging.judge import grade
from grader.judging.rules import KINDS
from grader.plugins.authoring.deriving.derivation import Derivation
from grader.plugins.authoring.deriving.doubts import DerivationError
from grader.plugins.authoring.deriving.proving import prove
from grader.plugins.authoring.suite_text import as_yaml
from grader.sandbox.zygote import Zygote
from grader.suite.loading import parse_suite

STATEMENTS: Final = [
    (">>> for i in range(2): print(b.size())", "2\n2"),
    (">>> for i in range(2):\n...     b.size()", "2\n2"),
    (">>> for i in range(2): b.clear(); b.size()", "0\n0"),
    (">>> if b.size() == 2:\n...     print('two')\n... else:\n...     b", "two"),
    (">>> if b:\n...     b.clear()\n...     b.size()", "0"),
    (">>> with open('x', 'w') as file:\n...     b.size()", "2"),
    (">>> while b.size() < 4:\n...     print(b.put(1))", "###\n####"),
    (
        ">>> try:\n...     b.put(0)\n... except AssertionError as error:\n...     print(error)",
        "too small",
    ),
    (">>> b.size(); b.copy().size()", "2\n2"),
    (">>> b.clear(); b.size()", "0"),
    (">>> b.show(); b.size()", "row 1\nrow 2\n2"),
    (">>> n = b.size(); n", "2"),
    (">>> n = b.size(); print(n)", "2"),
    (">>> print(b.size()); print()\n2\n<BLANKLINE>\n>>> b.n", "2"),
    (">>> def f():\n...     b.size()\n>>> f(); 5", "5"),
    (
        ">>> b.size = 5; b.put(0)",
        "Traceback (most recent call last):\n    ...\nAssertionError: too small",
    ),
    (
        ">>> for k in (1, 0):\n...     x = b.put(k)",
        "Traceback (most recent call last):\n    ...\nAssertionError: too small",
    ),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the settings and the reference of `box`."""
    return box(tmp_path)


def failures(spec: str) -> int:
    """Return how many examples of `spec` doctest fails on the reference."""
    names: dict[str, Any] = {}
    exec(REFERENCE, names)
    test = doctest.DocTestParser().get_doctest(spec, names, "spec", None, 0)
    return doctest.DocTestRunner(verbose=False).run(test, out=lambda _text: None).failed


def steps(done: Derivation) -> list[dict[str, Any]]:
    """Return the steps of the only session."""
    (session,) = done.document["sessions"]
    found: list[dict[str, Any]] = session["steps"]
    return found


@pytest.mark.parametrize(("code", "shown"), STATEMENTS)
def test_what_a_statement_shows_is_asked(
    zygote: Zygote, folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, shown: str
) -> None:
    """What doctest passes is proven and asked to the last line."""
    monkeypatch.chdir(folder)
    spec = f">>> b = Box(2)\n{code}\n{shown}\n"
    assert 0 == failures(spec)
    done = derived(zygote, folder, spec)
    assert () == done.doubts
    last = steps(done)[-1]
    asked = next(last[key] for key in ("stdout", "shows", "returns", "raises") if key in last)
    assert asked.strip() == shown.rpartition("...\n")[2]
    suite = parse_suite(as_yaml(done.document, schema="x").encode(), "x", KINDS)
    (folder / "x").unlink(missing_ok=True)
    prove(suite, folder / "box.py", zygote)


@pytest.mark.parametrize(("code", "shown"), STATEMENTS)
def test_what_a_statement_does_not_show_is_a_problem(
    zygote: Zygote, folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, shown: str
) -> None:
    """What doctest fails is not derived: another line, or one more before it."""
    monkeypatch.chdir(folder)
    first, *rest = shown.split("\n")
    for wrong in ("7\n" + shown, "\n".join(["7", *rest])):
        spec = f">>> b = Box(2)\n{code}\n{wrong}\n"
        if first.startswith("Traceback"):
            continue  # what comes before a traceback counts for nothing in doctest either
        assert failures(spec) > 0
        with pytest.raises(DerivationError):
            derived(zygote, folder, spec)


@pytest.mark.parametrize("code", ["for i in range(2): print(i)", "b.show(); n = 5", "b.put(0); 5"])
def test_what_a_statement_gives_and_the_spec_does_not_show_is_a_problem(
    zygote: Zygote, folder: Path, code: str
) -> None:
    """Text that is printed, and an exception, are shown in a spec or are a mistake in it."""
    with pytest.raises(DerivationError):
        derived(zygote, folder, f">>> b = Box(2)\n>>> {code}\n>>> b.size()\n2\n")


def test_a_line_too_many_is_a_doubt(zygote: Zygote, folder: Path) -> None:
    """What may be prose that lost its empty line is cut off, and told."""
    done = derived(zygote, folder, ">>> for i in range(2): print(i)\n0\n1\n2\n>>> b = Box(2)\n")
    (doubt,) = done.doubts
    assert "cut off: '2'" in doubt.message


def test_a_set_in_a_statement_is_a_doubt(zygote: Zygote, folder: Path) -> None:
    """Printed text has an order that a set has not."""
    spec = ">>> for i in range(1): {1, 2}\n{1, 2}\n>>> {1, 2}\n{1, 2}\n>>> b = Box(2)\n"
    done = derived(zygote, folder, spec)
    (doubt,) = done.doubts
    assert (1, "a set is compared as text here: '{1, 2}'") == (doubt.line, doubt.message)


def test_who_is_wrong_in_a_statement_loses_its_points(zygote: Zygote, folder: Path) -> None:
    """A wrong program fails what statements show, and nothing else."""
    spec = "\n".join(f"{code}\n{shown}" for code, shown in STATEMENTS[:2])
    done = derived(zygote, folder, f">>> b = Box(2)\n{spec}\n")
    suite = parse_suite(as_yaml(done.document, schema="x").encode(), "x", KINDS)
    wrong = REFERENCE.replace("return self.n", "return self.n + 1")
    submitted = replace(submission(wrong), parts={"box": "sample"})
    record = grade(suite, submitted, zygote)
    verdicts = [case.verdict.value for case in by_id(record).values()]
    assert ["PASSED", "WRONG", "WRONG"] == verdicts
