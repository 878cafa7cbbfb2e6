"""Suites that load, and everything that can be wrong with one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.errors import SuiteError
from grader.judging.rules import KINDS
from grader.suite import reading
from grader.suite.diagnostics import SuiteText
from grader.suite.expectations import Completes, Prints, Raises, Returns, SameAs
from grader.suite.files import load_suite
from grader.suite.form_errors import form_diagnostics
from grader.suite.limits import Limits
from grader.suite.loading import Diagnostic, InvalidSuite, parse_suite, render_all
from grader.suite.model import suite_form
from grader.suite.reading import read_document
from grader.suite.session import Session
from grader.suite.steps import Case, Group
from grader.suite.vocabulary import STANDARD_MODULES
from grader.values.tree import Atom
from grader.verdict import Visibility

FOLDER: Final = Path(__file__).parent / "loading"
GOOD: Final = (FOLDER / "good.yaml").read_text(encoding="utf-8")
MISTAKES: Final[list[dict[str, Any]]] = yaml.safe_load(
    (FOLDER / "mistakes.yaml").read_text(encoding="utf-8")
)
BROKEN: Final = sorted((FOLDER / "broken").glob("*.yaml"))
SMALL: Final = """\
exercise: x
title: X
language: en
module: x
defines: [f]
groups: [{id: g, points: 1}]
sessions: [{id: s, steps: [{do: f(), group: g}]}]
"""


def diagnosed(text: str | bytes) -> tuple[Diagnostic, ...]:
    """Return all that is wrong with a suite."""
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(InvalidSuite) as caught:
        parse_suite(data, "s.yaml", KINDS)
    return caught.value.diagnostics


def problems(text: str | bytes) -> list[str]:
    """Return `line:column+width message` of all that is wrong with a suite."""
    return [f"{one.line}:{one.column}+{one.width} {one.message}" for one in diagnosed(text)]


def helps(text: str | bytes) -> list[str | None]:
    """Return the advice about all that is wrong with a suite."""
    return [diagnostic.help for diagnostic in diagnosed(text)]


@pytest.fixture(params=["libyaml", "python"])
def any_loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with libyaml, and with the parser that stands in where it is missing."""
    loader = {"libyaml": yaml.CSafeLoader, "python": yaml.SafeLoader}[request.param]
    monkeypatch.setattr(reading, "LOADER", loader)


def step(code: str, **facts: Any) -> dict[str, Any]:
    """Return what is read of an expression step on `puzzel`; `facts` say what is special."""
    usual = {
        "code": code,
        "is_expression": True,
        "binds": (),
        "uses": frozenset({"puzzel"}),
        "acts": True,
        "expectation": None,
        "observers": (),
        "note": None,
        "line": None,
    }
    return {**usual, **facts}


EXPECTED: Final = {
    "exercise": "yinyang",
    "title": "Yin-Yang",
    "language": "nl",
    "spec": "../reference/yinyang/spec.md",
    "modules": ("yinyang",),
    "binds": "names",
    "defines": ("YinYang",),
    "imports": ("math", *(name for name in STANDARD_MODULES if name != "math")),
    "limits": Limits(cpu_s=1.0),
    "files": {"akari.txt": "1 1 4\n"},
    "groups": (
        Group(id="YinYang", title="aanmaken", points=1.0),
        Group(id="maak_wit", title="maak_wit", points=4.0),
        Group(id="maak_zwart-geweigerd", title="maak_zwart-geweigerd", points=0.5),
        Group(id="str", title="str", points=2.0),
        Group(id="isopgelost", title="isopgelost", points=1.0),
    ),
    "sha256": hashlib.sha256(GOOD.encode()).hexdigest(),
}


STEPS: Final = [
    step(
        "puzzel = YinYang(dimensie=6, wit=[(2, 0)], zwart=[])",
        is_expression=False,
        binds=("puzzel",),
        uses=frozenset(),
        expectation=Completes(),
        line=41,
    ),
    step("puzzel.maak_wit((0, 0))", expectation=SameAs("puzzel")),
    step("print(puzzel)", expectation=Prints("w--\n"), acts=False),
    step(
        "puzzel.maak_zwart((3, 2))",
        expectation=Raises("AssertionError", "ongeldige actie"),
        acts=False,
        note="positie is reeds bezet",
    ),
    step("puzzel.isopgelost()", expectation=Returns(Atom(value=False), "False")),
]
CASES: Final = (
    Case(id="YinYang/aanmaken", group="YinYang", step_index=0),
    Case(id="maak_wit/1", group="maak_wit", step_index=1),
    Case(id="str/1", group="str", step_index=2),
    Case(id="maak_zwart-geweigerd/1", group="maak_zwart-geweigerd", step_index=3),
    Case(id="isopgelost/1", group="isopgelost", step_index=4),
)


def contents(sessions: Sequence[Session]) -> list[tuple[object, ...]]:
    """Return what is in `sessions`: what they are called, their steps, their cases."""
    facts = step("").keys()
    return [
        (
            (each.id, each.title, each.visibility, each.modules),
            [{fact: getattr(one, fact) for fact in facts} for one in each.steps],
            each.cases,
        )
        for each in sessions
    ]


SESSIONS: Final = [
    (("voorbeeld", "Voorbeeldsessie", Visibility.PUBLIC, ("yinyang",)), STEPS, CASES)
]


@pytest.mark.usefixtures("any_loader")
def test_every_key_arrives() -> None:
    """A suite that uses every key becomes the suite that it describes."""
    suite = load_suite(FOLDER / "good.yaml", KINDS)

    assert EXPECTED == {key: getattr(suite, key) for key in EXPECTED}
    assert SESSIONS == contents(suite.sessions)


def test_defaults() -> None:
    """What a suite leaves out has its default."""
    suite = parse_suite(SMALL.encode(), "s.yaml", KINDS)
    only = step("f()", uses=frozenset(), expectation=Returns(Atom(None), "None"))
    case = Case(id="g/1", group="g", step_index=0)

    assert (None, Limits(), {}) == (suite.spec, suite.limits, suite.files)
    assert [(("s", "s", Visibility.PUBLIC, ("x",)), [only], (case,))] == contents(suite.sessions)
    assert 1.0 == sum(group.points for group in suite.groups)


def test_sessions_can_be_hashed() -> None:
    """Sessions and their steps can be keys, as plans are cached by them."""
    (session,) = load_suite(FOLDER / "good.yaml", KINDS).sessions

    assert 1 == len({session})
    assert 5 == len(set(session.steps))


@pytest.mark.usefixtures("any_loader")
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["name"])
def test_mistake(mistake: dict[str, Any]) -> None:
    """Each mistake is told in our words, at its place, with a way out."""
    assert 1 == GOOD.count(mistake["old"])
    text = GOOD.replace(mistake["old"], mistake["new"])

    assert mistake["says"] == problems(text)
    assert mistake["helps"] == helps(text)


@pytest.mark.skipif(not hasattr(yaml, "CSafeLoader"), reason="the words are those of libyaml")
@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_broken_file(path: Path) -> None:
    """What is shown for a broken file is the text beside it."""
    with pytest.raises(InvalidSuite) as caught:
        parse_suite(path.read_bytes(), path.name, KINDS)

    assert path.with_suffix(".txt").read_text(encoding="utf-8") == f"{caught.value}\n"


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_broken_file_without_libyaml(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken file is as broken for the parser in Python, and on the same line."""
    expected = path.with_suffix(".txt").read_text(encoding="utf-8").splitlines()[1]
    monkeypatch.setattr(reading, "LOADER", yaml.SafeLoader)

    with pytest.raises(InvalidSuite) as caught:
        parse_suite(path.read_bytes(), path.name, KINDS)

    assert expected.rpartition(":")[0] == str(caught.value).splitlines()[1].rpartition(":")[0]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("exercise: x", f"exercise: {'y' * 101}", f"1:11+101 '{'y' * 80}… (+21)' is not a slug"),
        ("id: s", f"id: {'y' * 101}", f"7:17+101 '{'y' * 80}… (+21)' is not an id"),
        ("title: X", f"title: {'y' * 201}", f"2:8+201 '{'y' * 80}… (+121)' is not a title"),
        ("title: X", f"{'k' * 70}: 1\ntitle: X", f"2:1+70 unknown key '{'k' * 70}'"),
        ("f()", f"f(){'.a' * 2000}", "7:33+4003 Python cannot parse this code"),
        ("f()", f"f(), raises: 'E: {'y' * 2001}'", "7:46+2006 the message is too long"),
    ],
    ids=["slug", "id", "title", "key", "code", "message"],
)
def test_too_long(old: str, new: str, expected: str) -> None:
    """Text that is too long for its key is refused, and not repeated in full."""
    assert [expected] == problems(SMALL.replace(old, new))


def test_ten_megabytes() -> None:
    """A file beyond the cap is refused before anything looks into it."""
    huge = b"- " * (5 * 1024 * 1024)

    assert ["1:1+1 the suite is larger than 2 MB"] == problems(huge)
    assert ["split it, or remove generated sessions that find nothing new"] == helps(huge)


def test_endless_file() -> None:
    """Of a file beyond the cap no more is read than it takes to know that."""
    with pytest.raises(InvalidSuite, match="the suite is larger than 2 MB"):
        load_suite(Path("/dev/zero"), KINDS)


@pytest.mark.usefixtures("any_loader")
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[" * 100_000, "1:65+1"),
        ("- " * 100_000, "1:129+1"),
        ("{a: " * 100_000, "1:257+1"),
        ("? " * 100_000, "1:129+1"),
        ("exercise: " + "[" * 100_000, "1:74+1"),
        ("exercise: " + "[" * 100_000 + "]" * 100_000, "1:74+1"),
        ("".join(f"{' ' * depth}a:\n" for depth in range(1000)) + " " * 1000 + "b", "65:65+1"),
    ],
    ids=["flow list", "block list", "flow mapping", "block key", "value", "closed", "block"],
)
def test_nesting(text: str, place: str) -> None:
    """Nesting beyond all reason ends the loading, not the process."""
    assert f"{place} values are nested more than 64 deep" == problems(text)[-1]
    assert "put text with brackets in quotes" == helps(text)[-1]


@pytest.mark.commands
def test_too_many_values() -> None:
    """A suite of more values than anybody can check ends the loading."""
    text = "files: [" + "x," * 200_000 + "]"

    assert ["1:400003+1 the suite has more than 200,000 values"] == problems(text)
    assert ["split it over several suites"] == helps(text)


def test_mistakes_before_the_end_are_kept() -> None:
    """What was found before the YAML broke off is reported too."""
    text = "a: &x 1\na: 2\nb: 'open\n"
    expected = [
        "1:4+4 anchors are not allowed (`&x`)",
        "2:1+1 the key 'a' is given twice",
        "3:4+1 this is not valid YAML: found unexpected end of stream",
    ]

    assert expected == problems(text)


def test_byte_order_mark() -> None:
    """The mark that editors on Windows put first is no part of the suite, and moves nothing."""
    mark = b"\xef\xbb\xbf"

    suite = parse_suite(mark + GOOD.encode(), "s.yaml", KINDS)

    assert SESSIONS == contents(suite.sessions)
    assert ["1:11+8 'Yin Yang' is not a slug"] == problems(
        mark + SMALL.replace("exercise: x", "exercise: Yin Yang").encode()
    )


def test_windows_line_ends() -> None:
    """A suite saved on Windows is the same suite."""
    suite = parse_suite(GOOD.replace("\n", "\r\n").encode(), "s.yaml", KINDS)

    assert SESSIONS == contents(suite.sessions)
    assert EXPECTED["files"] == suite.files


def test_all_parts_are_checked_at_once() -> None:
    """Mistakes in types, in code and in literals are reported together."""
    text = (
        GOOD.replace("language: nl", "language: no")
        .replace("do: print(puzzel)", "do: print(puzzel")
        .replace('returns: "False"', 'returns: "onwaar"')
        .replace("same_as: puzzel", "same_as: puzel")
    )
    expected = [
        "4:11+2 YAML reads `no` as a boolean",
        "31:14+1 this is not valid Python: '(' was never closed",
        "41:15+1 the name onwaar is not a literal",
    ]

    assert expected == problems(text)


def test_what_parts_ask_of_each_other_is_checked_at_once() -> None:
    """When each part is in order by itself, mistakes between them are reported together."""
    text = (
        GOOD.replace("same_as: puzzel", "same_as: puzel")
        .replace("group: YinYang ", "group: Yinyang ")
        .replace("{id: str, ", "{id: maak_wit, ")
    )
    expected = [
        "16:8+8 the id 'maak_wit' is given twice",
        "25:12+7 unknown group 'Yinyang' (did you mean 'YinYang'?)",
        "29:14+5 no step before this one binds 'puzel' (did you mean 'puzzel'?)",
        "34:12+3 unknown group 'str'",
    ]

    assert expected == problems(text)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("module: yinyang", "module: 5", ["6:9+1 YAML reads `5` as a whole number"]),
        ("id: voorbeeld", "id: 5", ["19:7+1 YAML reads `5` as a whole number"]),
        (
            "do: puzzel = YinYang",
            "do: puzzel = = YinYang",
            ["24:18+1 this is not valid Python: invalid syntax"],
        ),
        ("{id: maak_wit,", "{id: 5,", ["14:8+1 YAML reads `5` as a whole number"]),
        ("steps:", "stappen:", ["19:3+2 a session needs the key 'steps'"]),
        ("groups:", "groepen:", ["2:1+8 a suite needs the key 'groups'"]),
        ("- id: voorbeeld", "- 5\n- id: voorbeeld", ["19:3+1 item 1 of 'sessions' must be"]),
    ],
    ids=["head", "session head", "step", "group", "steps", "groups", "session"],
)
def test_no_consequences(old: str, new: str, expected: list[str]) -> None:
    """What could follow from a part that is not valid is not held against the others."""
    found = [line for line in problems(GOOD.replace(old, new)) if "unknown key" not in line]

    assert expected == [line[: len(expected[0])] for line in found]


def test_file_that_is_not_there() -> None:
    """A path without a file is an error in words, not a traceback."""
    path = Path("no-such-folder/yinyang.yaml")

    with pytest.raises(SuiteError) as caught:
        load_suite(path, KINDS)
    assert f"cannot read the suite {path}: no such file or directory" == caught.value.message
    assert "give the path of the YAML file of a suite" == caught.value.help


def test_error_that_has_no_words_yet() -> None:
    """An error of pydantic that this package does not know is shown as pydantic says it."""
    document = read_document(SuiteText.from_text("s.yaml", SMALL))
    error: Any = {"type": "new", "loc": ("title",), "msg": "Odd", "input": "X"}

    (diagnostic,) = form_diagnostics(document, [error], suite_form(KINDS))

    assert "'title': Odd" == diagnostic.message


@settings(derandomize=True, max_examples=150)
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
@example(b"*a")
@example(b"? *a\n: 1")
def test_any_bytes(data: bytes) -> None:
    """Whatever the bytes, there is a suite or there are diagnostics that can be shown."""
    with pytest.raises(InvalidSuite) as caught:
        parse_suite(data, "s.yaml", KINDS)

    assert render_all(caught.value.diagnostics) == str(caught.value)


def test_mistake_behind_the_last_line_is_reported_at_its_end() -> None:
    """The YAML parser may point at a line that the file does not have."""
    text = GOOD + "0"
    with pytest.raises(InvalidSuite) as caught:
        parse_suite(text.encode(), "s.yaml", KINDS)
    (problem,) = caught.value.diagnostics
    lines = text.split("\n")
    assert (len(lines), 2, "0") == (problem.line, problem.column, problem.source)


@settings(derandomize=True, max_examples=150)
@given(
    st.integers(0, len(GOOD)),
    st.integers(0, 40),
    st.text(alphabet="\t\n #&'*-:>[]{|}\"!?~01ex", max_size=6),
)
def test_damaged_suite(start: int, length: int, new: str) -> None:
    """A suite with a hole or a splinter in it loads, or says what is wrong within the file."""
    text = GOOD[:start] + new + GOOD[start + length :]
    try:
        parse_suite(text.encode(), "s.yaml", KINDS)
    except InvalidSuite as invalid:
        diagnostics = invalid.diagnostics
    else:
        diagnostics = ()
    lines = SuiteText.from_text("s.yaml", text).lines

    assert all(1 <= one.line <= len(lines) for one in diagnostics)
