"""Hidden suites: what they add to the public one, and everything that can be wrong with one."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import pytest

from grader.errors import SuiteError
from grader.judging.rules import KINDS
from grader.suite.files import load_suite, load_whole_suite
from grader.suite.hidden import Hidden
from grader.suite.loading import InvalidSuite, parse_hidden_suite, parse_suite
from grader.suite.model import Equivalent, Feedback, Generated
from grader.suite.steps import Group
from grader.verdict import Visibility

PUBLISHED: Final = Path(__file__).parents[2] / "docs" / "hidden.schema.json"
PUBLIC: Final = """\
exercise: box
title: Box
language: en
module: box
defines: [Box]
files: {box.txt: ""}
groups: [{id: Box, points: 1}, {id: add, points: 2}]
sessions:
- id: example
  steps:
  - {do: box = Box(3), group: Box}
  - {do: box.add(1), group: add}
  - {do: box.add(2), group: add, case: last}
"""
HIDDEN: Final = f"""\
exercise: box
generated:
  version: 2
  seed: autumn
  reference: {"0123456789abcdef" * 4}
  content: {"fedcba9876543210" * 4}
share: 0.75
feedback: clause
groups:
- {{id: two, title: two boxes, points: 3}}
sessions:
- id: pair
  steps:
  - {{do: "a, b = Box(1), Box('box.txt')", group: Box}}
  - {{do: a.add(1), group: add}}
  - {{do: b.add(1), group: two, case: other}}
  - {{do: a.add(2), group: add}}
- id: full-1
  title: full
  steps:
  - {{do: box = Box(1)}}
  - {{do: box.add(2), raises: ValueError, group: add}}
- id: full-2
  visibility: hidden
  title: full
  steps:
  - {{do: box = Box(2)}}
  - {{do: box.add(3), raises: ValueError, group: add}}
- id: for-us
  visibility: staff
  steps:
  - {{do: Box(0), group: Box}}
equivalent:
- mutant: 3f2a91c0
  reason: nobody can tell
"""


def hidden(text: str = HIDDEN, public: str = PUBLIC) -> Hidden:
    """Return the hidden suite in `text`, which adds to that in `public`."""
    suite = parse_suite(public.encode(), "box.yaml", KINDS)
    return parse_hidden_suite(text.encode(), "box.hidden.yaml", suite)


def problems(text: str) -> list[str]:
    """Return `line:column message` of all that is wrong with a hidden suite."""
    with pytest.raises(InvalidSuite) as caught:
        hidden(text)
    return [f"{one.line}:{one.column} {one.message}" for one in caught.value.diagnostics]


def in_folder(folder: Path, **files: str) -> Path:
    """Write `public` and `hidden` suites into `folder`; return the path of the public one."""
    (folder / "box.yaml").write_text(files.get("public", PUBLIC), encoding="utf-8")
    if "hidden" in files:
        (folder / "box.hidden.yaml").write_text(files["hidden"], encoding="utf-8")
    return folder / "box.yaml"


def test_every_key_arrives() -> None:
    """A hidden suite that uses every key becomes what it describes."""
    loaded = hidden()

    origin = Generated(
        version=2,
        seed="autumn",
        reference="0123456789abcdef" * 4,
        content="fedcba9876543210" * 4,
    )
    assert origin == loaded.generated
    assert (0.75, Feedback.CLAUSE) == (loaded.share, loaded.feedback)
    assert (Group(id="two", title="two boxes", points=3.0),) == loaded.groups
    assert (Equivalent(mutant="3f2a91c0", reason="nobody can tell"),) == loaded.equivalent
    assert ["pair", "full-1", "full-2", "for-us"] == [each.id for each in loaded.sessions]
    assert [*[Visibility.HIDDEN] * 3, Visibility.STAFF] == [
        each.visibility for each in loaded.sessions
    ]


def test_defaults() -> None:
    """What a hidden suite leaves out has its default."""
    loaded = hidden("exercise: box\nsessions: [{id: s, steps: [{do: Box(1), group: Box}]}]\n")

    assert (0.9, Feedback.COUNTEREXAMPLE) == (loaded.share, loaded.feedback)
    assert (None, (), ()) == (loaded.generated, loaded.groups, loaded.equivalent)
    assert [Visibility.HIDDEN] == [each.visibility for each in loaded.sessions]


def test_cases_are_called_after_their_session() -> None:
    """So a new session moves no other name."""
    names = [[case.id for case in session.cases] for session in hidden().sessions]

    assert [
        ["Box/pair-1", "add/pair-1", "two/other", "add/pair-2"],
        ["add/full-1-1"],
        ["add/full-2-1"],
        ["Box/for-us-1"],
    ] == names


def test_public_suite_alone_knows_nothing_of_the_hidden_one(tmp_path: Path) -> None:
    """What a course hands out loads the same, whatever lies beside it."""
    path = in_folder(tmp_path)
    before = load_suite(path, KINDS)
    in_folder(tmp_path, hidden=HIDDEN)

    assert before.sha256 == load_suite(path, KINDS).sha256
    assert ["example"] == [session.id for session in load_suite(path, KINDS).sessions]
    assert None is load_suite(path, KINDS).hidden_share


def test_whole_suite_is_both(tmp_path: Path) -> None:
    """The whole suite has the groups and the sessions of both, and what the hidden one says."""
    whole = load_whole_suite(in_folder(tmp_path, hidden=HIDDEN), KINDS)

    assert ["Box", "add", "two"] == [group.id for group in whole.groups]
    assert ["example", "pair", "full-1", "full-2", "for-us"] == [one.id for one in whole.sessions]
    assert 6.0 == sum(group.points for group in whole.groups)
    assert (0.75, Feedback.CLAUSE) == (whole.hidden_share, whole.feedback)
    assert ("autumn", "3f2a91c0") == (
        whole.generated and whole.generated.seed,
        whole.equivalent[0].mutant,
    )


def test_whole_suite_without_a_hidden_one_is_the_public_one(tmp_path: Path) -> None:
    """Where nothing lies beside it, a suite is whole by itself."""
    path = in_folder(tmp_path)

    assert load_suite(path, KINDS).sha256 == load_whole_suite(path, KINDS).sha256


def test_hash_covers_both_files(tmp_path: Path) -> None:
    """A change in either file is another suite; a remark draws nobody another session."""
    first = load_whole_suite(in_folder(tmp_path, hidden=HIDDEN), KINDS)
    hidden_changed = load_whole_suite(in_folder(tmp_path, hidden=HIDDEN + "# more\n"), KINDS)
    public_changed = load_whole_suite(in_folder(tmp_path, public=PUBLIC + "# more\n"), KINDS)

    assert 3 == len({first.sha256, hidden_changed.sha256, public_changed.sha256})
    assert 1 == len({first.seed, hidden_changed.seed, public_changed.seed})
    public_hash = hashlib.sha256(PUBLIC.encode()).hexdigest()
    hidden_hash = hashlib.sha256(HIDDEN.encode()).hexdigest()
    assert first.seed not in {first.sha256, public_hash, hidden_hash}


def test_hidden_suite_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    """A link that leads nowhere does not turn a hidden suite into none."""
    path = in_folder(tmp_path)
    (tmp_path / "box.hidden.yaml").symlink_to(tmp_path / "nowhere")

    with pytest.raises(SuiteError, match=r"cannot read the suite .*no such file"):
        load_whole_suite(path, KINDS)


def test_hidden_suite_is_no_suite_by_itself(tmp_path: Path) -> None:
    """Who names the hidden suite is told to name the public one."""
    in_folder(tmp_path, hidden=HIDDEN)

    for load in (load_suite, load_whole_suite):
        with pytest.raises(SuiteError) as caught:
            load(tmp_path / "box.hidden.yaml", KINDS)
        assert "is only the hidden part of a suite" in caught.value.message
        assert "give the path of the public suite, box.yaml" == caught.value.help


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("exercise: box", "exercise: bax", ["1:11 the public suite is about 'box'"]),
        ("exercise: box\n", "", ["1:1 a hidden suite needs the key 'exercise'"]),
        ("share: 0.75", "share: 1.5", ["7:8 'share' must be at most 1"]),
        (
            "feedback: clause",
            "feedback: claus",
            ["8:11 unknown feedback 'claus' (did you mean 'clause'?)"],
        ),
        ("feedback: clause", "module: box", ["8:1 unknown key 'module'"]),
        ("visibility: hidden", "visibility: public", ["24:15 unknown visibility 'public'"]),
        (
            "id: two,",
            "id: add,",
            ["16:27 unknown group 'two'"],
        ),
        (
            "id: pair",
            "id: example",
            ["12:7 the session 'example' is already in the public suite"],
        ),
        (
            "id: full-2",
            "id: full-1",
            [
                "23:7 the id 'full-1' is given twice",
                "28:49 the case 'add/full-1-1' is given twice",
            ],
        ),
        (
            "group: two, case: other",
            "group: add, case: last",
            [
                "10:8 the group 'two' has no cases",
                "16:38 the case 'add/last' is given twice",
            ],
        ),
        (
            "group: two, case: other",
            "group: too",
            ["16:27 unknown group 'too' (did you mean 'two'?)"],
        ),
        (
            "group: two, case: other",
            "group: add, case: pair-3",
            [
                "10:8 the group 'two' has no cases",
                "17:27 the case 'add/pair-3' is given twice",
            ],
        ),
        ("box.txt", "bax.txt", ["14:10 the file 'bax.txt' is not among `files`"]),
        ("version: 2", "version: 0", ["3:12 'version' must be at least 1"]),
        ("version: 2\n  seed", "versie: 2\n  seed", ["3:3 generated needs the key 'version'"]),
        ("reference: 0", "reference: x", ["5:14 'x123456789abcdef"]),
        ("mutant: 3f2a91c0", "mutant: 3f2a91", ["34:11 '3f2a91' is not the name of a mutant"]),
        ("mutant: 3f2a91c0", "mutant: 12345678", ["34:11 YAML reads `12345678` as a whole number"]),
        (
            "reason: nobody can tell\n",
            'reason: x\n- {mutant: "3f2a91c0", reason: y}\n',
            ["36:12 the mutant '3f2a91c0' is given twice"],
        ),
    ],
)
def test_mistake(old: str, new: str, said: list[str]) -> None:
    """Each mistake is told at its place, as in a public suite."""
    assert 1 == HIDDEN.count(old)
    found = [one for one in problems(HIDDEN.replace(old, new)) if "versie" not in one]

    assert said == [one[: len(expected)] for one, expected in zip(found, said, strict=True)]


def test_mistakes_are_told_together() -> None:
    """Mistakes in types and in code are reported at once, and so are those between parts."""
    broken = HIDDEN.replace("share: 0.75", "share: 2").replace("do: a.add(1)", "do: a.add(")
    between = HIDDEN.replace("do: a.add(2), group: add", "do: a.add(2), group: ad").replace(
        "id: full-2", "id: example"
    )

    assert [
        "7:8 'share' must be at most 1",
        "15:15 this is not valid Python: '(' was never closed",
    ] == problems(broken)
    assert [
        "17:27 unknown group 'ad' (did you mean 'add'?)",
        "23:7 the session 'example' is already in the public suite",
    ] == problems(between)


# The schema
