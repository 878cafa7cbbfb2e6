"""`grader generate`: from the generator of the how-to to a hidden suite that lies on disk."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from command_line import Done, process
from small_exercise import COPIED, COUNTER, GENERATOR, Small, small_exercise

from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.plugins.authoring.solutions import submission_of
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite, load_whole_suite
from grader.suite.loading import Kinds
from grader.suite.model import Suite
from grader.verdict import Visibility

pytestmark = pytest.mark.authoring

SEED: Final = "2026"


def generated(small: Small, *options: str, hash_seed: str = "0") -> Done:
    """Run `grader generate` on the tiny exercise."""
    return process("generate", *small.words, "--jobs", "1", *options, PYTHONHASHSEED=hash_seed)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """The tiny exercise with its hidden suite."""
    small = small_exercise(tmp_path_factory.mktemp("made") / "small")
    done = generated(small, "--seed", SEED)
    assert 0 == done.code, done.err
    return small


@pytest.fixture
def small(made: Small, tmp_path: Path) -> Small:
    """A copy of the tiny exercise, for tests that change it."""
    shutil.copytree(made.folder, tmp_path / "small")
    return Small(folder=tmp_path / "small")


def assert_out_of_step(done: Done) -> None:
    """Expect the error that says so, and the way out."""
    assert 3 == done.code
    assert "counter.hidden.yaml is not up to date with the generator or the reference" in done.err
    assert "run: grader generate" in done.err


def hidden_of(small: Small) -> dict[str, Any]:
    """Return the hidden suite as plain data."""
    data: dict[str, Any] = yaml.safe_load(small.hidden.read_text(encoding="utf-8"))
    return data


def record_of(
    small: Small,
    source: str,
    zygote: Zygote,
    load: Callable[[Path, Kinds], Suite] = load_whole_suite,
) -> Record:
    """Return how `source` does on both suites, or on the one that `load` gives."""
    suite = load(small.public, KINDS)
    return grade(suite, submission_of(suite, {"counter": source}, "jan"), zygote)


def test_hidden_suite_loads_and_the_reference_passes_it(made: Small, zygote: Zygote) -> None:
    """What was frozen adds hidden cases, and every right solution has all points of it."""
    suite = load_whole_suite(made.public, KINDS)
    hidden = [each for each in suite.sessions if each.visibility is not Visibility.PUBLIC]
    assert hidden
    other = (made.reference / "correct/list_of_marks.py").read_text(encoding="utf-8")
    for source in (COUNTER, other):
        record = record_of(made, source, zygote)
        assert record.max_score == record.score == 5


def test_who_knows_the_public_answers_only_loses_points(made: Small, zygote: Zygote) -> None:
    """Full points on the public suite are no full points on both."""
    assert record_of(made, COPIED, zygote, load_suite).score == 5
    assert record_of(made, COPIED, zygote).score < 4


def test_hidden_suite_says_what_it_was_made_of(made: Small) -> None:
    """Seed, version and a hash of the reference stand in it, and who it is not for."""
    origin = hidden_of(made)["generated"]
    assert {"version": 1, "seed": SEED} == {key: origin[key] for key in ("version", "seed")}
    assert 64 == len(origin["reference"])
    head = made.hidden.read_text(encoding="utf-8").splitlines()[0]
    assert "# Made by `grader generate counter`: not for students." == head


def test_same_input_gives_the_same_bytes(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing depends on the order of a set or on where it runs; the seed is kept, or given."""
    written = small.hidden.read_text(encoding="utf-8")
    monkeypatch.chdir(small.folder)
    done = generated(small, "--check", hash_seed="7")
    assert (0, True) == (done.code, f"unchanged: {small.hidden}" in done.err), done.err
    small.hidden.unlink()
    again = small.folder / "kept/elsewhere/again.hidden.yaml"
    again.parent.mkdir(parents=True)
    assert 0 == generated(small, "--seed", SEED, "--out", str(again), hash_seed="8").code
    assert written == again.read_text(encoding="utf-8")
    assert not small.hidden.exists()


def test_check_tells_what_is_out_of_step(small: Small) -> None:
    """What would be written otherwise, though it is but a remark, ends with 3; it stays."""
    with small.hidden.open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    changed = small.hidden.read_bytes()
    assert_out_of_step(generated(small, "--check"))
    assert changed == small.hidden.read_bytes()


def test_check_of_what_is_no_text_is_out_of_step(small: Small) -> None:
    """A file that is not UTF-8 is not what would be written."""
    copy = small.hidden.with_name("copy") / small.hidden.name
    copy.parent.mkdir()
    copy.write_bytes(small.hidden.read_bytes() + b"# caf\xe9\n")
    assert_out_of_step(generated(small, "--check", "--out", str(copy)))


def test_check_tells_at_once_what_the_file_itself_tells(small: Small) -> None:
    """It takes no generator to see that there is no file, or who has changed since."""
    (small.reference / "generator.py").unlink()
    text = small.hidden.read_text(encoding="utf-8")
    for old, new in (("title: ", "title: Mine "), ("reference: ", f"reference: '{'0' * 64}' # ")):
        small.hidden.write_text(text.replace(old, new, 1), encoding="utf-8")
        assert_out_of_step(generated(small, "--check"))
    small.hidden.write_text(text, encoding="utf-8")
    done = generated(small, "--check")
    assert (3, True) == (done.code, "the generator does not exist: " in done.err)
    small.write("counter.py", COUNTER + "\n")
    assert_out_of_step(generated(small, "--check"))
    small.hidden.unlink()
    assert_out_of_step(generated(small, "--check"))
    assert not small.hidden.exists()


def test_what_authors_decide_is_kept(small: Small) -> None:
    """Share, feedback and equivalent mutants of an earlier hidden suite stay; sessions do not."""
    decided = {
        "share": 0.5,
        "feedback": "clause",
        "equivalent": [{"mutant": "1f0c8a3e", "reason": "it is the same"}],
    }
    text = yaml.safe_dump(
        {**hidden_of(small), **decided, "sessions": hidden_of(small)["sessions"][:1]}
    )
    small.hidden.write_text(text, encoding="utf-8")
    done = generated(small, "--overwrite")
    assert 0 == done.code, done.err
    after = hidden_of(small)
    assert decided.items() <= after.items()
    assert SEED == after["generated"]["seed"]
    assert len(after["sessions"]) > 1


def test_what_authors_write_is_kept(small: Small) -> None:
    """Sessions, siblings and clauses with names of their own stay, and groups with their points."""
    earlier = hidden_of(small)
    first, *others = earlier["sessions"]
    own: dict[str, Any] = {
        "id": "s99",
        "steps": [{"do": "Counter(3).value", "returns": "0", "group": "mine", "clause": "hers"}],
    }
    clause = {"id": "hers", "quote": "starts from 0"}
    group = {"id": "mine", "title": "Mine", "points": 4}
    sibling = {**own, "id": "g99", "steps": [{**own["steps"][0], "do": "Counter(4).value"}]}
    text = yaml.safe_dump(
        {
            **earlier,
            "clauses": [*earlier["clauses"], clause],
            "groups": [group],
            "sessions": [own, first, *others],
            "siblings": [*earlier["siblings"], sibling],
        }
    )
    small.hidden.write_text(text, encoding="utf-8")
    done = generated(small)
    assert 0 == done.code, done.err
    after = hidden_of(small)
    assert [group] == after["groups"]
    assert [*earlier["clauses"], clause] == after["clauses"]
    assert [*earlier["sessions"], own] == after["sessions"]
    assert [*earlier["siblings"], sibling] == after["siblings"]


def test_what_was_changed_by_hand_is_not_lost(small: Small) -> None:
    """A generated session that somebody changed is made anew only when that is said."""
    (small.reference / "generator.py").unlink()  # nothing is generated here
    text = small.hidden.read_text(encoding="utf-8").replace("title: ", "title: Mine ", 1)
    small.hidden.write_text(text, encoding="utf-8")
    done = generated(small)
    assert 3 == done.code
    assert "counter.hidden.yaml were changed by hand and would be lost" in done.err
    assert "to keep them, change their ids; then run the command with --overwrite" in done.err
    assert text == small.hidden.read_text(encoding="utf-8")
    same = small.folder / "testsuites/../testsuites/counter.hidden.yaml"
    assert "would be lost" in generated(small, "--out", str(same)).err
    other = small.folder / "testsuites/other.hidden.yaml"
    for options in (("--overwrite",), ("--out", str(other))):
        assert "the generator does not exist" in generated(small, *options).err


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("\nsessions:", "\nsessions: &all", "anchors are not allowed (`&all`)"),
        ("\nclauses:", "\nclausses:", "unknown key 'clausses'"),
        (
            "\nclauses:",
            "\nequivalent: [{mutant: 1e024441, reason: it is the same}]\nclauses:",
            "YAML reads `1e024441` as a number",
        ),
    ],
)
def test_what_its_author_has_to_correct_is_not_overwritten(
    small: Small, old: str, new: str, told: str
) -> None:
    """A hidden suite with a mistake stays as it is, and what is wrong is told at once."""
    (small.reference / "generator.py").unlink()  # nothing is generated here
    text = small.hidden.read_text(encoding="utf-8").replace(old, new, 1)
    small.hidden.write_text(text, encoding="utf-8")
    done = generated(small)
    assert 3 == done.code
    assert told in done.err
    assert text == small.hidden.read_text(encoding="utf-8")


def test_exercise_without_what_it_takes(tmp_path: Path) -> None:
    """Without a generator the exit code is 3, without a reference 2; both are told."""
    small = small_exercise(tmp_path / "small", None)
    done = generated(small)
    assert (3, True) == (done.code, "the generator does not exist: " in done.err)
    (small.reference / "counter.py").unlink()
    done = generated(small)
    assert (2, True) == (done.code, "the reference file does not exist: " in done.err)


def test_what_a_right_solution_disputes_is_told(tmp_path: Path) -> None:
    """What right solutions do not agree on is not asked, and the author reads who disagrees."""
    small = small_exercise(tmp_path / "small")
    small.write("correct/other.py", COUNTER.replace("raise ValueError", "raise KeyError"))
    done = generated(small)
    assert 0 == done.code, done.err
    told = "dropped, because the right solution other fails it"
    such = rf"^{told}: \d+ of add: too much, such as counter\.add\(\d\)$"
    assert re.search(such, done.err, re.MULTILINE)
    assert "the clause add: too much has fewer than two cases" in done.err
    assert "the clause add: too much has no sibling" in done.err
    assert "add-refused" not in small.hidden.read_text(encoding="utf-8")


def test_reference_that_does_otherwise_than_a_clause_says(tmp_path: Path) -> None:
    """Where reference and generator disagree on what is refused, nothing is written."""
    small = small_exercise(tmp_path / "small", GENERATOR.replace(", refused=True", ""))
    done = generated(small)
    assert 3 == done.code
    assert "error: counter.add(" in done.err
    assert (
        "by the clause 'add: too much', but the reference raises ValueError: too much" in done.err
    )
    assert not small.hidden.exists()


def test_generator_with_a_group_that_is_not_there(tmp_path: Path) -> None:
    """A group of a case must be of the public suite, or of the generator."""
    text = GENERATOR.replace('group="add"', 'group="ad"')
    done = generated(small_exercise(tmp_path / "small", text))
    assert 3 == done.code
    assert "the generator has cases in unknown groups: ad" in done.err
