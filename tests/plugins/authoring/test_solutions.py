"""Solutions beside a reference: whole files, and edits of the reference."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest

from grader.errors import SuiteError
from grader.plugins.authoring.solutions import Sources, read_solutions

ROOT: Final = Path(__file__).resolve().parents[3]
MODULE: Final = dedent(
    '''
    """A module."""

    LIMIT = 3


    def count(things):
        """Count the things."""
        total = 0
        for thing in things:
            total += 1

        return total


    def first(things):
        """Return the first."""
        for thing in things:
            return thing
        return None
    '''
).lstrip()


def found(folder: Path, edits: str) -> dict[str, str]:
    """Return what the YAML `edits` makes of `MODULE`, by the name of the solution."""
    (folder / "m.edits.yaml").write_text(dedent(edits).lstrip(), encoding="utf-8")
    return {each.name: each.sources["m"] for each in read_solutions(folder, {"m": MODULE})}


def one_edit(edit: str) -> str:
    """Return the YAML of one solution with one edit, which begins in line 6."""
    return f"module: m\nsolutions:\n  s:\n    why: W.\n    edits:\n      - {edit}\n"


def test_whole_solutions_are_files_and_folders(tmp_path: Path) -> None:
    """A module that a solution lacks is that of the reference; what is no program is none."""
    for path, text in {
        "one.py": "a = 1",
        "two/a.py": "a = 2",
        "three/b.py": "b = 3",
        "unseen/four.py": "a = 4",
        "notes.txt": "no program",
        "empty/c.py": "no module of it",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    right: Sources = {"a": "right", "b": "right"}
    expected = {
        "one": {"a": "a = 1", "b": "right"},
        "three": {"a": "right", "b": "b = 3"},
        "two": {"a": "a = 2", "b": "right"},
        "unseen/four": {"a": "a = 4", "b": "right"},
    }
    assert list(expected.items()) == [(e.name, e.sources) for e in read_solutions(tmp_path, right)]
    assert [] == read_solutions(tmp_path / "nothing", right)


def test_lines_are_replaced_where_they_stand(tmp_path: Path) -> None:
    """The new lines are indented as those that they replace; nothing else changes."""
    edit = """
        module: m
        solutions:
          counts-by-two:
            why: Each counts twice.
            edits:
              - in: count
                find: |
                  for thing in things:
                      total += 1

                  return total
                replace: |
                  for thing in things:
                      total += 2

                  return total
    """
    assert {"counts-by-two": MODULE.replace("+= 1", "+= 2")} == found(tmp_path, edit)


def test_a_definition_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """An edit that only says where replaces the function that stands there."""
    edit = one_edit("{in: first, replace: 'def first(things): return things[0]'}")
    expected = MODULE[: MODULE.index("def first")] + "def first(things): return things[0]\n"
    assert {"s": expected} == found(tmp_path, edit)


def test_lines_are_taken_away(tmp_path: Path) -> None:
    """To replace lines by nothing takes them away."""
    edit = one_edit("{find: LIMIT = 3, replace: ''}")
    assert {"s": MODULE.replace("LIMIT = 3\n", "")} == found(tmp_path, edit)


def test_edits_in_common_come_first(tmp_path: Path) -> None:
    """What all solutions of a file change comes before their own edits, in order."""
    edit = """
        module: m
        common:
          why: Another limit.
          edits: [{find: LIMIT = 3, replace: LIMIT = 4}]
        solutions:
          five: {why: Five., edits: [{find: LIMIT = 4, replace: LIMIT = 5}]}
          four: {why: Nothing else., edits: []}
    """
    five, four = (MODULE.replace("= 3", f"= {limit}") for limit in (5, 4))
    assert {"five": five, "four": four} == found(tmp_path, edit)


def test_a_right_solution_may_be_edited(tmp_path: Path) -> None:
    """With `of` the edits change a solution in `correct`, and the only module needs no name."""
    for folder in ("correct", "panel"):
        (tmp_path / folder).mkdir()
    (tmp_path / "correct/own.py").write_text("LIMIT = 8\nOWN = 1\n")
    edits = one_edit("{find: LIMIT = 8, replace: LIMIT = 9}").replace("module: m", "of: own")
    assert {"s": "LIMIT = 9\nOWN = 1\n"} == found(tmp_path / "panel", edits)


@pytest.mark.parametrize("place", ["", "unseen"])
def test_a_whole_wrong_solution_may_be_edited(tmp_path: Path, place: str) -> None:
    """With `of` the edits change one that lies beside as a whole, also from `unseen`."""
    (tmp_path / "faulty/unseen").mkdir(parents=True)
    (tmp_path / "faulty/own.py").write_text("LIMIT = 8\nOWN = 1\n")
    edits = one_edit("{find: LIMIT = 8, replace: LIMIT = 9}").replace("module: m", "of: own")
    (tmp_path / "faulty" / place / "own.edits.yaml").write_text(edits)
    _, made = read_solutions(tmp_path / "faulty", {"m": MODULE})
    assert (place == "unseen", "LIMIT = 9\nOWN = 1\n") == (made.is_unseen, made.sources["m"])
    assert made.sources == read_solutions(tmp_path / "faulty" / place, {"m": MODULE})[-1].sources


def test_reason_and_groups_stand_at_the_head(tmp_path: Path) -> None:
    """With `head` each solution begins with what is its own."""
    edits = """
        head: |
          # {why}
          # loses: {loses}
        solutions:
          four: {why: The limit., loses: "count, first", edits: []}
          five: {why: None., edits: []}
    """
    heads = {"four": "# The limit.\n# loses: count, first\n", "five": "# None.\n# loses: \n"}
    assert {name: head + MODULE for name, head in heads.items()} == found(tmp_path, edits)


def test_edits_may_stand_in_unseen(tmp_path: Path) -> None:
    """A solution in the folder `unseen` is named by that."""
    (tmp_path / "unseen").mkdir()
    edits = one_edit("{find: LIMIT = 3, replace: LIMIT = 4}")
    (tmp_path / "unseen/m.edits.yaml").write_text(edits)
    assert ["unseen/s"] == [each.name for each in read_solutions(tmp_path, {"m": MODULE})]


@pytest.mark.parametrize(
    ("edits", "line", "said"),
    [
        (one_edit("{find: LIMIT = 9, replace: ''}"), 6, "s: the text in `find` occurs 0 times"),
        (
            one_edit("{find: 'for thing in things:', replace: ''}"),
            6,
            "s: the text in `find` occurs 2 times instead of once",
        ),
        (one_edit("{find: LIMIT, replace: ''}"), 6, "s: the text in `find` occurs 0 times"),
        (
            one_edit("{in: first, find: total = 0, replace: ''}"),
            6,
            "s: the text in `find` occurs 0 times",
        ),
        (one_edit("{in: last, replace: ''}"), 6, "s: last is defined 0 times instead of once"),
        (one_edit("{replace: ''}"), 6, "s: an edit needs the key `find`, `in` or both"),
        (one_edit("{find: LIMIT = 3}"), 6, "an edit needs the key 'replace'"),
        (one_edit("{find: LIMIT = 3, replace: '', with: 4}"), 6, "unknown key 'with'"),
        (one_edit("{find: 3, replace: ''}"), 6, "as a whole number"),
        ("module: n\nsolutions: {}\n", 1, "unknown module: n"),
        ("module: m\nof: other\nsolutions: {}\n", 2, "no solution in "),
        ("module: m\nsolutions:\n  s: 1\n", 3, "mapping"),
        ("module: m\nmodule: m\nsolutions: {}\n", 2, "'module'"),
        ("module: [\n", 2, "error"),
        ("", 1, "empty"),
        ("[" * 5000, 1, "nested"),
        ("a: &a [1]\nb: *a\n", 1, "anchor"),
    ],
)
def test_what_does_not_apply_is_refused(tmp_path: Path, edits: str, line: int, said: str) -> None:
    """An edit that is malformed, or does not apply exactly once, is named with its line."""
    with pytest.raises(SuiteError) as refused:
        found(tmp_path, edits)
    assert f"{tmp_path}/m.edits.yaml:{line}:" in str(refused.value)
    assert said in str(refused.value)


def test_edits_of_the_practicum_change_the_function_they_name() -> None:
    """Each wrong solution differs from the reference in its text."""
    folder = ROOT / "reference" / "1010"
    names = ("Position", "Block", "Board", "Game")
    reference = {name: (folder / f"{name}.py").read_text("utf-8") for name in names}
    wrong = read_solutions(folder / "faulty", reference)
    assert len(wrong) > 100
    assert [] == [each.name for each in wrong if each.sources == reference]
