"""Advice on readability: what is found, in which order, and that nothing can spoil it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from builders import graded
from test_handed_out import record_of, with_given

from grader.intake.submission import SourceFile
from grader.judging.record import Advice
from grader.plugins.advice import linting
from grader.plugins.advice.advising import MAX_ITEMS, MAX_PLACES, advice, format_names
from grader.plugins.advice.linting import CODES, HABITS, MISTAKES, WALL_S, Lesson, lint
from grader.reporting.wording import LANGUAGES, catalog, format_message
from grader.run.worker import ADVICE_TIMEOUT_S
from grader.sandbox.zygote import Zygote

SNIPPETS = {
    "undefined": "def f():\n    return y",
    "mutable_default": "def f(x=[]):\n    return x",
    "redefined": "def f():\n    return 1\ndef f():\n    return 2",
    "constant_condition": "def f(x):\n    return 1 if x == 1 or 2 else 3",
    "not_raised": "def f():\n    ValueError('no')",
    "no_effect": "def f(x):\n    x == 1",
    "missing_return": "def f(x):\n    if x:\n        return 1",
    "is_literal": "def f(x):\n    return x is 1",
    "format": "def f(x):\n    return '%s %s' % (x,)",
    "repeated_key": "D = {'a': 1, 'a': 2}",
    "loop_over_itself": "X = [1]\nfor X in X:\n    print(X)",
    "shadowed_parameter": "def f(x):\n    for x in range(3):\n        print(x)",
    "no_self": "class C:\n    def f(x):\n        return x",
    "loop_else": "def f(x):\n    for i in x:\n        print(i)\n    else:\n        print(x)",
    "self_assignment": "x = 1\nx = x",
    "builtin_name": "list = 3",
    "bare_except": "try:\n    print()\nexcept:\n    print(1)",
    "invalid_escape": "X = '\\d'",
    "compare_none": "def f(x):\n    return x == None",
    "type_comparison": "def f(x):\n    return type(x) == int",
    "unused_variable": "def f():\n    y = 1",
    "changes_global": "N = 0\ndef f():\n    global N\n    N = 1",
    "needless_bool": (
        "def f(x):\n    if x > 1:\n        return True\n    else:\n        return False"
    ),
    "compare_true": "def f(x):\n    return x == True",
    "same_branches": (
        "def f(x):\n    if x == 1:\n        print(x)\n    elif x > 9:\n        print(x)"
    ),
    "else_if": (
        "def f(x):\n    if x:\n        print(1)\n    else:\n"
        "        if x > 1:\n            print(2)\n        else:\n            print(3)"
    ),
    "nested_if": "def f(x):\n    if x:\n        if x > 1:\n            print(2)",
    "ambiguous_name": "l = 3",
    "clumsy_not": "def f(x):\n    return not x in [1]",
    "lambda_name": "f = lambda x: x",
    "needless_global": "N = 0\ndef f():\n    global N\n    return N",
    "star_import": "from math import *",
    "unused_import": "import math",
    "repeated_comparison": "def f(x):\n    return x == 1 or x == 2",
    "useless_pass": "def f(x):\n    print(x)\n    pass",
    "useless_return": "def f(x):\n    print(x)\n    return",
    "keys": "def f(x):\n    return 1 in x.keys()",
    "one_line": "x = 1; y = 2",
    "late_import": "x = 1\nimport math\nprint(math)",
    "empty_fstring": "X = f'no'",
}
"""For each lesson of ruff a piece of code that asks for it and for nothing else."""

NEAR_MISSES = {
    "defined elsewhere": "import Board\ndef f():\n    return Board.dimension()",
    "None by default": "def f(x=None):\n    return x is None",
    "all paths return": "def f(x):\n    if x:\n        return 1\n    else:\n        return 2",
    "paths that raise": "def f(x):\n    if x:\n        return 1\n    raise ValueError('x')",
    "name that the exercise gives": "def next(x):\n    return x",
    "import that the exercise gives": "from Position import next\nprint(next)",
    "names in another style": "def isGeldig(Rij):\n    DeKolom = Rij\n    return DeKolom",
    "loop that a comprehension could be": (
        "def f(x):\n    y = []\n    for i in x:\n        y.append(i)\n    return y"
    ),
    "loop that `any` could be": (
        "def f(x):\n    for i in x:\n        if i:\n            return True\n    return False"
    ),
    "else after return": "def f(x):\n    if x:\n        return 1\n    else:\n        return x + 1",
    "file that is opened without with": "def f(x):\n    y = open(x)\n    return y.read()",
    "pass that is needed": "def f():\n    pass",
    "loop that counts": "def f(x):\n    for i in range(x):\n        print(x)",
}
"""Code that needs no advice, or for which an exercise may have its reasons."""


def source(text: str, name: str = "sample.py") -> SourceFile:
    """Return a source file with `text`."""
    return SourceFile(name=name, text=text, encoding="utf-8")


def advised(text: str) -> list[Advice]:
    """Return the advice on a single module with the code `text`."""
    return list(advice({"sample": source(text)}, None))


def kinds(text: str) -> list[str]:
    """Return the kinds of advice on `text`, in order."""
    return [item.kind for item in advised(text)]


# What ruff finds


def test_every_lesson_has_a_snippet() -> None:
    """No lesson is without a test."""
    assert [lesson.kind for lesson in (*MISTAKES, *HABITS)] == list(SNIPPETS)


@pytest.mark.parametrize("kind", SNIPPETS)
def test_snippet_asks_for_its_lesson(kind: str) -> None:
    """Each lesson is told to who needs it, and nothing else is."""
    assert [kind] == [found for found in kinds(SNIPPETS[kind]) if found in SNIPPETS]


@pytest.mark.parametrize("what", NEAR_MISSES)
def test_what_needs_no_advice_gets_none(what: str) -> None:
    """Nothing is said about matters of taste, nor about what exercises ask for or forbid."""
    assert [] == kinds(NEAR_MISSES[what])


def test_every_code_is_known_to_ruff() -> None:
    """Ruff takes all codes: an unknown one would make an end of all advice."""
    assert lint([source("import math\n")], CODES)


@pytest.mark.parametrize("exercise", ["1010", "akari", "str8ts", "triomino", "yinyang"])
def test_references_get_no_advice(exercise: str, root: Path) -> None:
    """What the course itself wrote is what students are to write."""
    files = [path for path in (root / "reference" / exercise).glob("*.py") if path.stem != "GUI"]
    sources = {path.stem: source(path.read_text(encoding="utf-8"), path.name) for path in files}
    assert sources
    assert () == advice(sources, None)


def test_place_is_exact() -> None:
    """The first places have their file, line, column and text; names that differ are said."""
    (item,) = advised("def f():\n    print('œuvre'); y = 1\n")[:1]
    (hit,) = item.hits
    assert ("unused_variable", "sample.py", "y") == (item.kind, hit.file, hit.what)
    assert (2, 21, "    print('œuvre'); y = 1") == (hit.line, hit.column, hit.text)


def test_line_ends_are_those_of_python() -> None:
    """A form feed or a line separator in a comment does not shift the lines after it."""
    (item,) = advised("# a \f b \u2028 c \x85\nimport math\n")
    assert [(2, "import math")] == [(hit.line, hit.text) for hit in item.hits]


def test_places_are_few_and_the_count_is_true() -> None:
    """Three places of a kind are shown, in order; all are counted."""
    text = "".join(f"def f{n}(x):\n    return x == None\n" for n in range(20))
    (item,) = advised(text)
    assert 20 == item.count
    assert [2, 4, 6] == [hit.line for hit in item.hits]
    assert MAX_PLACES == len(item.hits)


def test_a_line_is_shown_once() -> None:
    """Two findings of a kind in one line count twice and are one place."""
    (item,) = advised("x = 1; y = 2; z = 3\n")
    assert (2, 1) == (item.count, len(item.hits))


def test_names_are_told_each_once() -> None:
    """A sentence names the first few, and is about one name when there is only one."""
    (one,) = advised("def f():\n    return y\ndef g():\n    return y")
    assert 2 == one.count
    assert format_message(one.said, "en").startswith("`y` has no value")
    (more,) = advised("def f():\n    return a, b, c, d")
    assert format_message(more.said, "en").startswith("`a`, `b`, `c`, … have no value")


def test_advice_comes_best_first_and_is_short() -> None:
    """Mistakes come before habits, in the order of the lessons, and the list ends soon."""
    text = "X = f'no'\ndef f(x):\n    x == 1\n    return x == None\n"
    assert ["no_effect", "compare_none", "empty_fstring"] == kinds(text)
    everything = kinds("\n\n".join(reversed(SNIPPETS.values())))
    assert MAX_ITEMS == len(everything)


def test_several_modules_are_read_at_once() -> None:
    """Findings stand under the name that the student's file has, not under ours."""
    sources = {
        "a": source("import math\n", "my work/../a.py"),
        "b": source("import os\n", "--fix.py"),
    }
    (item,) = advice(sources, None)
    assert ["my work/../a.py", "--fix.py"] == [hit.file for hit in item.hits]


# What a submission might try


@pytest.mark.parametrize(
    "comment",
    [
        "# ruff: noqa",
        "# flake8: noqa",
        "# ruff: noqa: F401",
        "# ruff: disable[F401]",
        "# ruff: isort: skip_file",
        "# /// script\n# [tool.ruff]\n# lint.ignore = ['ALL']\n# ///",
    ],
)
def test_comments_do_not_silence(comment: str) -> None:
    """What a comment says to linters does not count."""
    assert ["unused_import"] == kinds(f"{comment}\nimport math  # noqa\n")


def test_settings_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither settings beside us nor those in the environment change what is found."""
    (tmp_path / "ruff.toml").write_text("lint.ignore = ['ALL']\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUFF_CONFIG", str(tmp_path / "ruff.toml"))
    monkeypatch.setenv("RUFF_OUTPUT_FORMAT", "concise")
    assert ["unused_import"] == kinds("import math\n")


HOSTILE = {
    "open brackets": "x = " + "(" * 100_000,
    "minus signs": "x = " + "-" * 200_000 + "1",
    "a long sum": "x = " + "1+" * 100_000 + "1",
    "calls in calls": "x = " + "f(" * 10_000 + ")" * 10_000,
    "one long line": "x = '" + "a" * 1_000_000 + "'",
    "a null byte": "import math\n\0",
    "more findings than are read": "import math;l=1;" * 60_000,
    "no Python": "import math\ndef f(:\n",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_get_no_advice(what: str) -> None:
    """A file that ruff cannot read, or that has too much to say about, is left alone."""
    assert [] == kinds(HOSTILE[what])


def test_a_file_that_is_not_python_leaves_the_others() -> None:
    """Advice on one file does not depend on whether another can be read."""
    sources = {"a": source("def f(:\nimport math\n", "a.py"), "b": source("import os\n", "b.py")}
    (item,) = advice(sources, None)
    assert ["b.py"] == [hit.file for hit in item.hits]


def test_lone_surrogates_are_read_past() -> None:
    """Text that no file could hold does no harm, and does not shift columns."""
    (item,) = advised("X = '\ud800\udfff'; y = 1\n")
    assert [("one_line", 9)] == [(item.kind, hit.column) for hit in item.hits]


def test_thousands_of_findings_are_counted() -> None:
    """A file full of findings gets the same short advice, with the true count."""
    (item,) = advised("def f(x):\n" + "    print(x == None)\n" * 4_000)
    assert (4_000, MAX_PLACES) == (item.count, len(item.hits))


def test_long_lines_and_names_are_clipped() -> None:
    """A record holds no more of a line or a name than somebody reads."""
    (item,) = advised(f"def f():\n    return {'n' * 100_000}\n")
    assert len(item.hits[0].text) < 250
    assert len(format_message(item.said, "en")) < 250


@pytest.mark.parametrize(
    "program",
    [
        "import time; time.sleep(60)",
        "print('x' * 10_000_000)",
        "print('[{}, 7, {\"filename\": 3}]')",
        "print('{}')",
        "print('[')",
        "import sys; print('[]'); sys.exit(2)",
        "import os; os.kill(os.getpid(), 9)",
    ],
)
def test_any_trouble_with_ruff_means_no_advice(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever takes the place of ruff: it is stopped in time, and nothing is raised."""
    fake = tmp_path / "ruff"
    fake.write_text(f"#!{sys.executable}\n{program}\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setattr(linting, "ruff", lambda: str(fake))
    monkeypatch.setattr(linting, "WALL_S", 1.0)
    assert () == lint([source("import math\n")], CODES)


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that ruff worked in is gone afterwards."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert ["unused_import"] == kinds("import math\n")
    assert [] == list(tmp_path.iterdir())


# Words


@pytest.mark.parametrize("lesson", [*MISTAKES, *HABITS], ids=lambda lesson: lesson.kind)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_lesson_has_its_sentences(lesson: Lesson, language: str) -> None:
    """A lesson about names says them, in the singular too; others have one sentence."""
    sentences = catalog(language)
    assert lesson.quotes_names == ("{names}" in sentences[lesson.key])
    several = lesson.quotes_names and f"{lesson.key}_one" in sentences
    assert lesson.quotes_names == several


def test_foreign_names_are_harmless() -> None:
    """Names are on one line, without backticks of their own, and without commands."""
    assert "`a⏎␛b'c`" == format_names(["a\n\x1bb`c"])
    assert "`f`" == format_names(["f", "f"])
    assert "" == format_names([])


# In a record


def test_a_suite_asks_for_advice(zygote: Zygote) -> None:
    """Measures and findings of a real submission stand in its record; its points stay."""
    body = """\
        advice: true
        groups: [{id: f, points: 1}]
        sessions: [{id: s, steps: [{do: f(3), returns: "3", group: f}]}]
    """
    nested = "".join(f"{'    ' * depth}if x:\n" for depth in range(1, 7))
    text = f"import math\n\ndef f(x):\n{nested}{'    ' * 7}print(x)\n    return x\n"
    record = graded(zygote, body, text)
    expected = ["too_nested", "nested_if", "unused_import"]
    assert expected == [item.kind for item in record.advice]
    assert record.max_score == record.score
    assert () == graded(zygote, body.replace("true", "false"), text).advice


def test_ruff_has_as_long_as_we_believe() -> None:
    """Who took less time in all lost no advice to a busy machine."""
    assert ADVICE_TIMEOUT_S <= WALL_S


@pytest.mark.parametrize("changed", [False, True])
def test_there_is_none_on_code_that_was_given(zygote: Zygote, *, changed: bool) -> None:
    """Unless the student has changed it."""
    record = record_of(zygote, with_given(changed=changed))
    assert changed == ("type_comparison" in [each.kind for each in record.advice])
    assert changed == bool(record.advice)
