"""The documentation is true: its examples run, on a copy of what they read."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
import yaml
from documentation import BLOCKS, REFERENCE, ROOT, SUITES, blocks, named, text_of, verb
from downloads import PLATFORMS, download, zipped
from platform_desk import GRADEBOOKS
from small_exercise import GENERATOR, Small, small_exercise
from worksheets import BOTH, WORKSHEETS

from grader.reporting.results import RUN_SCHEMA

BIN: Final = Path(sys.executable).parent
MATERIAL: Final = ("docs", "reference", "samples", "testsuites")
"""What examples read; they run on a copy, so that none of them changes the repository."""
SAMPLES: Final = (
    "1010/claes_wout",
    "akari/Jansen Els (2).py",
    "str8ts/lemmens_arne.py",
    "triomino/garcia_lopez_maria.py",
)
"""Hand-ins that can be run and end soon: examples grade these, besides those that they name."""
MADE: Final = "my_suite.yaml"
"""What one example makes and the next one uses: each has its own copy of everything."""
WORKSHEETS_OF_PAGES: Final = dict(GRADEBOOKS.values())
"""Worksheets that examples fill."""
DOWNLOADS: Final = {
    "toledo.zip": "blackboard",
    **{f"{platform}.zip": platform for platform in PLATFORMS if platform != "blackboard"},
}
"""Downloads of platforms that examples grade."""
ROSTER: Final = "id,username,name\n101,ann,Ann O'Brien-De Smet\n102,bob,Bob van der Aa\n"
EXAMPLE_WALL_S: Final = 240
LONG: Final = ("generate", "audit")
"""Verbs that try hundreds of programs: their examples run on a tiny exercise, with all options."""
FOLLOWED: Final = "docs/how-to/first-course.md"
"""A page that is followed as a whole, in a test of its own."""
GROUPS: Final = ("new",)
"""Verbs of which the next word says what is done."""
_EXIT: Final = re.compile(r"\s+# exit code (\d+)$")
_COMMAND: Final = re.compile(r"^\s*(?:-\s+(?:run:\s+)?)?(?P<command>(?:grader|pytest) .+)$")
_FILE: Final = re.compile(r"\.(py|yaml)(:\d+)?$")
_SCRIPT: Final = re.compile(r"^(?P<command>scripts/\S+.*)$")


@dataclass(frozen=True, slots=True)
class Example:
    """A command that a page shows, and the exit code that it promises."""

    place: str
    command: str
    exit_code: int

    @property
    def words(self) -> list[str]:
        """The command as a shell would split it."""
        return shlex.split(self.command, comments=True)

    def __str__(self) -> str:
        return f"{self.place} {self.command}"


def examples() -> Iterator[Example]:
    """Yield the commands of ours that the pages show, each once."""
    seen: set[str] = set()
    for block in blocks():
        if block.language not in {"sh", "yaml"}:
            continue
        for number, line in enumerate(block.text.splitlines(), start=block.line + 1):
            found = _COMMAND.match(line) or _SCRIPT.match(line)
            if found is None:
                continue
            exit_code = _EXIT.search(found["command"])
            command = _EXIT.sub("", found["command"])
            if command not in seen:
                seen.add(command)
                code = int(exit_code[1]) if exit_code else 0
                yield Example(f"{named(block.page)}:{number}", command, code)


EXAMPLES: Final = tuple(examples())


def is_runnable(example: Example) -> bool:
    """Return whether all that the command reads is in the repository, or made by another one."""
    if example.words[0] != "grader" or "-n" in example.words:
        return False
    if example.place.startswith(FOLLOWED):
        return False
    words = [word.split("=")[-1] for word in example.words]
    paths = [word for word in words if "/" in word or _FILE.search(word)]
    return "$" not in example.command and all(
        path == MADE or (ROOT / path).exists() for path in paths
    )


RUNNABLE: Final = tuple(example for example in EXAMPLES if is_runnable(example))


def kind_of(example: Example) -> tuple[str, int]:
    """Return what a command does: its verb, and how it must end."""
    program, verb_or_suite, *rest = example.words
    name = verb_or_suite if program == "grader" else program
    return (f"{name} {rest[0]}" if name in GROUPS else name, example.exit_code)


def options_of(example: Example) -> set[str]:
    """Return the options of a command, without their values."""
    return {word.split("=")[0] for word in example.words if word.startswith("-") and word != "-"}


def without_covered(examples: Sequence[Example]) -> tuple[Example, ...]:
    """Return the examples whose options no other one with the same verb has too, and more."""
    kept: list[Example] = []
    for example in sorted(examples, key=lambda each: -len(options_of(each))):
        others = (options_of(each) for each in kept if kind_of(each) == kind_of(example))
        if not any(options_of(example) <= other for other in others):
            kept.append(example)
    return tuple(kept)


def richest(examples: Sequence[Example], verb: str) -> Example:
    """Return the example of a verb with most options."""
    return max(
        (each for each in examples if each.words[1] == verb), key=lambda each: len(each.words)
    )


SLOW: Final = tuple(richest(RUNNABLE, verb) for verb in LONG)
QUICK: Final = without_covered([example for example in RUNNABLE if example.words[1] not in LONG])


def test_there_are_examples() -> None:
    """The pages are found and read: there is something to check."""
    assert {example.words[0] for example in EXAMPLES} >= {"grader", "scripts/check"}
    assert len(RUNNABLE) > 10
    assert len(SUITES) > 5


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_examples_are_valid_commands(example: Example) -> None:
    """Verbs and options of every example exist, and scripts can be run."""
    first, *rest = example.words
    if first == "grader" and rest[0] not in {"--help", "--version"}:
        verb(rest[0]).make_context(rest[0], rest[1:])
    elif first.startswith("scripts/"):
        assert os.access(ROOT / first, os.X_OK)


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the examples read."""
    folder = tmp_path_factory.mktemp("repository")
    for name in MATERIAL:
        shutil.copytree(ROOT / name, folder / name, ignore=_all_but_few_solutions)
    shutil.copy(ROOT / "testsuites/akari.yaml", folder / MADE)
    spoken_of = " ".join(example.command for example in EXAMPLES)
    for path in (ROOT / "submissions").glob("*/*"):
        hand_in = path.relative_to(ROOT / "submissions").as_posix()
        if hand_in in SAMPLES or f"/{path.name}" in spoken_of:
            _copy(path, folder / path.relative_to(ROOT))
    _leave_runs(folder)
    return folder


@pytest.fixture
def copy(material: Path, tmp_path: Path) -> Path:
    """A copy of what the examples read, for one of them: each may be the first to be tried."""
    return shutil.copytree(material, tmp_path / "repository")


def _leave_runs(folder: Path) -> None:
    """Leave the runs and the files that examples speak of."""
    for words in (
        ("grade", "submissions/akari", "--public", "--out", "akari"),
        ("grade", "submissions/akari", "submissions/yinyang", "--public"),
        ("regrade", "reports"),
    ):
        subprocess.run([BIN / "grader", *words], cwd=folder, check=True, capture_output=True)
    for name in ("monday", "tuesday"):
        shutil.copytree(folder / "akari", folder / name)
    with closing(sqlite3.connect(folder / "akari/run.db")) as run, run:
        for position, who in enumerate(BOTH):
            told = (who.id, who.user, who.name, who.email, position)
            run.execute(
                "UPDATE entry SET platform_id = ?, user_name = ?, name = ?, email = ?"
                " WHERE position = ?",
                told,
            )
    for file, given in WORKSHEETS_OF_PAGES.items():
        (folder / file).write_bytes(WORKSHEETS[given].before)
    code = (ROOT / "submissions/akari/aerts_yana.py").read_bytes()
    for file, platform in DOWNLOADS.items():
        (folder / file).write_bytes(zipped(download(platform, "akari.py", code)))
    (folder / "one.zip").write_bytes(zipped({"akari.py": code}))
    (folder / "roster.csv").write_text(ROSTER)


def _all_but_few_solutions(folder: str, names: list[str]) -> list[str]:
    """Leave out most of the wrong solutions: they are graded elsewhere."""
    if "faulty" not in Path(folder).parts:
        return []
    return [name for name in sorted(names) if (Path(folder) / name).is_file()][1:]


def _copy(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, to)
    else:
        shutil.copy(path, to)


@pytest.mark.docs
@pytest.mark.parametrize("example", QUICK, ids=str)
def test_examples_run(example: Example, copy: Path) -> None:
    """Every example on the repository's own samples ends with the exit code that it promises."""
    _, *rest = example.words
    command = [str(BIN / "grader"), *rest]
    done = subprocess.run(
        command, cwd=copy, capture_output=True, text=True, timeout=EXAMPLE_WALL_S, check=False
    )
    assert example.exit_code == done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A tiny exercise with the generator of the how-to, and its hidden suite."""
    made = small_exercise(tmp_path_factory.mktemp("tiny") / "small")
    reason = "only adding writes, and that makes a value of its own"
    command = [str(BIN / "grader"), "generate", *made.words]
    subprocess.run(command, capture_output=True, check=True)
    with made.hidden.open("a") as file:
        file.write(f"equivalent:\n  - {{mutant: 63cf2281, reason: {reason!r}}}\n")
    return made


@pytest.mark.authoring
@pytest.mark.parametrize("example", SLOW, ids=str)
def test_long_examples_run_on_a_tiny_exercise(
    example: Example, small: Small, tmp_path: Path
) -> None:
    """Examples that take minutes end with the promised exit code where there is less to do."""
    here = Small(folder=tmp_path / "small")
    shutil.copytree(small.folder, here.folder)
    _, name, _, *options = example.words
    command = [str(BIN / "grader"), name, *here.words, *options]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=EXAMPLE_WALL_S, check=False
    )
    assert example.exit_code == done.returncode, done.stdout + done.stderr


@pytest.mark.docs
def test_examples_leave_derived_suites_as_they_are(copy: Path) -> None:
    """Deriving the sample suite anew gives the bytes that are in the repository."""
    spec = "reference/akari/spec.md"
    subprocess.run([str(BIN / "grader"), "derive", spec], cwd=copy, capture_output=True, check=True)
    expected = (ROOT / "testsuites/akari.yaml").read_bytes()
    assert expected == (copy / "testsuites/akari.yaml").read_bytes()


def test_python_examples_compile() -> None:
    """Examples in Python are Python."""
    for block in BLOCKS:
        if block.language == "python":
            ast.parse(block.text)


def test_generator_of_the_how_to_is_run() -> None:
    """The how-to shows one module, the generator with which tests make a hidden suite."""
    page = ROOT / "docs/how-to/hidden-suites.md"
    shown = [block.text for block in BLOCKS if (block.page, block.language) == (page, "python")]
    assert [GENERATOR] == shown


@pytest.mark.docs
def test_results_page_has_every_key(copy: Path) -> None:
    """Every key of `results.json` has its row, and the example has the same keys."""
    page = text_of(REFERENCE / "results.md")
    (block,) = [b for b in BLOCKS if b.language == "json" and b.page.name == "results.md"]
    command = [str(BIN / "grader"), "check", "submissions/yinyang/desmet_emma.py", "--json"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=True)
    shown, real = yaml.safe_load(block.text), yaml.safe_load(done.stdout)
    assert RUN_SCHEMA == shown["schema"] == real["schema"]
    assert _keys(real) == _keys(shown)
    for key in _keys(real):
        assert f"| `{key}` |" in page


def _keys(data: object) -> set[str]:
    match data:
        case dict():
            return set(data).union(*map(_keys, data.values()))
        case list():
            return set[str]().union(*map(_keys, data))
        case _:
            return set()
