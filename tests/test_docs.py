"""The documentation is true: links resolve, examples run, reference pages are complete.

Run as a program, this file writes the tables that are made from the schema anew.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Final, cast

import click
import pytest
import yaml
from small_exercise import GENERATOR, Small, small_exercise

from grader.advice import linting
from grader.cli import program
from grader.deriving.settings import load_settings
from grader.errors import GraderError
from grader.intake import files as intake_files
from grader.limits import Limits
from grader.loading import (
    document,
    hidden_schema,
    parse_hidden_suite,
    parse_suite,
    source,
    suite_schema,
)
from grader.protocol import (
    MAX_MESSAGE_CHARS,
    MAX_REPLY_BYTES,
    MAX_STDOUT_CHARS,
    MAX_SUBMISSION_REPLY_BYTES,
    SURVEY_CAPS,
)
from grader.record import run_document
from grader.verdict import Status, Verdict, Visibility
from grader.wording import catalog

ROOT: Final = Path(__file__).resolve().parents[1]
BIN: Final = Path(sys.executable).parent
PAGES: Final = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], key=lambda path: path.as_posix()
)
REFERENCE: Final = ROOT / "docs/reference"
SUITE_PAGE: Final = REFERENCE / "suite.md"
DECISIONS: Final = sorted((ROOT / "docs/decisions").glob("*.md"))
TOPS: Final = tuple(f"{p.name}/" for p in ROOT.iterdir() if p.is_dir() and p.name[0] != ".")
MATERIAL: Final = ("docs", "reference", "testsuites")
"""What examples read; they run on a copy, so that none of them changes the repository."""
SAMPLES: Final = 1
"""So many hand-ins of each exercise are graded in an example, besides those that are named:
the slow ones, that loop for ever in each function, are tried elsewhere."""
MADE: Final = "my_suite.yaml"
"""What one example makes and the next one uses; they may run in any order."""
SUITE_HEAD: Final = {"exercise": "puzzle", "title": "Puzzle", "language": "en"}
"""What a part of a suite on a page leaves out, as YAML by key."""
ONE_MODULE: Final = {"module": "puzzle", "defines": "[Puzzle]"}
"""What it leaves out besides, unless it is about several modules."""
EXAMPLE_WALL_S: Final = 240
LONG: Final = ("generate", "audit")
"""Verbs that try hundreds of programs: their examples run on a tiny exercise, with all options."""
_FENCE: Final = re.compile(
    r"^(?P<indent> *)```(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)
_LINK: Final = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_EXIT: Final = re.compile(r"\s+# exit code (\d+)$")
_COMMAND: Final = re.compile(r"^\s*(?:-\s+(?:run:\s+)?)?(?P<command>(?:grader|pytest) .+)$")
_SCRIPT: Final = re.compile(r"^(?P<command>scripts/\S+.*)$")
_TABLE: Final = re.compile(
    r"(?P<start><!-- schema: (?P<name>\w+) -->\n)(?P<rows>.*?)(?P<end><!-- /schema -->)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    file: str
    """The file that it is an example of, when the page says so."""
    text: str

    def __str__(self) -> str:
        return f"{named(self.page)}:{self.line}"


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


def named(page: Path) -> str:
    """Return the name of `page` as a reader knows it."""
    return page.relative_to(ROOT).as_posix()


@cache
def text_of(page: Path) -> str:
    """Return the text of `page`."""
    return page.read_text(encoding="utf-8")


def prose_of(page: Path) -> str:
    """Return the text of `page` without its fenced blocks."""
    return _FENCE.sub("", text_of(page))


def words_of(text: str) -> str:
    """Return `text` on one line, however its lines were broken."""
    return " ".join(text.split())


def blocks() -> Iterator[Block]:
    """Yield the fenced blocks of all pages."""
    for page in PAGES:
        for found in _FENCE.finditer(text_of(page)):
            language, _, file = found["info"].partition(" ")
            indent = len(found["indent"])
            lines = [line[indent:] for line in found["body"].splitlines()]
            number = text_of(page).count("\n", 0, found.start()) + 1
            yield Block(page, number, language, file, "\n".join(lines) + "\n")


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


BLOCKS: Final = tuple(blocks())
EXAMPLES: Final = tuple(examples())
SUITES: Final = tuple(block for block in BLOCKS if block.language == "yaml" and not block.file)


def is_runnable(example: Example) -> bool:
    """Return whether all that the command reads is in the repository, or made by another one."""
    if example.words[0] not in {"grader", "pytest"} or "-n" in example.words:
        return False
    words = [word.split("=")[-1] for word in example.words]
    paths = [word for word in words if "/" in word or word.endswith((".py", ".yaml"))]
    return "$" not in example.command and all(
        path == MADE or (ROOT / path).exists() for path in paths
    )


RUNNABLE: Final = tuple(example for example in EXAMPLES if is_runnable(example))
SLOW: Final = {
    (words[1], *words[3:]): example for example in RUNNABLE if (words := example.words)[1] in LONG
}
"""By verb and options, so that the same is not run for several exercises."""
QUICK: Final = tuple(example for example in RUNNABLE if example.words[1] not in LONG)


@cache
def verb(name: str) -> click.Command:
    """Return the command behind `grader NAME`."""
    group = cast(click.Group, program)
    command = group.get_command(click.Context(group), name)
    assert command is not None, f"no such verb: {name}"
    return command


@cache
def pytest_help() -> str:
    """Return what pytest says of its options, those of our plugin included."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--help"], capture_output=True, text=True, check=True
    )
    return done.stdout


def headings(page: Path) -> set[str]:
    """Return the anchors of the headings of `page`, as the usual viewers make them."""
    titles = re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


# Pages and links


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_resolve(page: Path) -> None:
    """Every relative link leads to a file, and its anchor to a heading."""
    for found in _LINK.finditer(prose_of(page)):
        target, _, anchor = found["target"].partition("#")
        if target.startswith(("https://", "http://")):
            continue
        other = (page.parent / target).resolve() if target else page
        assert other.exists(), f"{named(page)} links to {found['target']}"
        assert not anchor or anchor in headings(other), f"no heading for {found['target']}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_paths_exist(page: Path) -> None:
    """Every path of the repository that stands in code is there."""
    for word in re.findall(r"`([\w./-]+)`", prose_of(page)):
        is_format = re.fullmatch(r"grader/\w+/\d+", word)
        if word.startswith(TOPS) and not word.startswith("reports/") and not is_format:
            assert (ROOT / word).exists(), f"{named(page)} speaks of {word}"


def test_index_lists_every_page() -> None:
    """The index of the documentation links to each page in it."""
    index = ROOT / "docs/README.md"
    linked = {
        (index.parent / found["target"]).resolve() for found in _LINK.finditer(text_of(index))
    }
    pages = set((ROOT / "docs").rglob("*.md")) - {index}
    assert pages == pages & linked


def test_readme_is_short() -> None:
    """The README has fewer than 120 lines."""
    assert len(text_of(ROOT / "README.md").splitlines()) < 120


def test_picture_is_small() -> None:
    """The picture of a report is under 200 kB."""
    assert (ROOT / "docs/pictures/report.png").stat().st_size < 200_000


@pytest.mark.parametrize("page", DECISIONS, ids=named)
def test_decisions_have_one_form(page: Path) -> None:
    """A decision has a number, and says context, decision and consequences."""
    number = int(page.name.split("-")[0])
    titles = re.findall(r"^##? (.+)$", text_of(page), re.MULTILINE)
    assert titles[1:] == ["Context", "Decision", "Consequences"]
    assert titles[0].startswith(f"{number}. ")


# Examples


def test_there_are_examples() -> None:
    """The pages are found and read: there is something to check."""
    assert {example.words[0] for example in EXAMPLES} >= {"grader", "pytest", "scripts/check"}
    assert len(RUNNABLE) > 10
    assert len(SUITES) > 5


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_examples_are_valid_commands(example: Example) -> None:
    """Verbs and options of every example exist, and scripts can be run."""
    first, *rest = example.words
    if first == "grader" and rest[0] not in {"--help", "--version"}:
        verb(rest[0]).make_context(rest[0], rest[1:])
    elif first == "pytest" and example not in RUNNABLE:
        for option in rest:
            name = option.split("=")[0]
            assert name[0] != "-" or re.search(rf"\s{name}[\s,=]", pytest_help()), option
    elif first.startswith("scripts/"):
        assert os.access(ROOT / first, os.X_OK)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the examples read."""
    folder = tmp_path_factory.mktemp("repository")
    for name in MATERIAL:
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "testsuites/akari.yaml", folder / MADE)
    spoken_of = " ".join(example.command for example in EXAMPLES)
    for exercise in sorted((ROOT / "submissions").iterdir()):
        for number, path in enumerate(sorted(exercise.iterdir())):
            if number < SAMPLES or f"/{path.name}" in spoken_of:
                _copy(path, folder / path.relative_to(ROOT))
    return folder


def _copy(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, to)
    else:
        shutil.copy(path, to)


@pytest.mark.parametrize("example", QUICK, ids=str)
def test_examples_run(example: Example, copy: Path) -> None:
    """Every example on the repository's own samples ends with the exit code that it promises."""
    first, *rest = example.words
    command = [str(BIN / "grader"), *rest]
    if first == "pytest":
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *rest]
    done = subprocess.run(
        command, cwd=copy, capture_output=True, text=True, timeout=EXAMPLE_WALL_S, check=False
    )
    assert example.exit_code == done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A tiny exercise with the generator of the how-to, and its hidden suite.

    Making that is the example without options.
    """
    made = small_exercise(tmp_path_factory.mktemp("tiny") / "small")
    reason = "only adding writes, and that makes a value of its own"
    made.hidden.write_text(f"equivalent:\n  - {{mutant: 63cf2281, reason: {reason!r}}}\n")
    command = [str(BIN / "grader"), "generate", *made.words]
    subprocess.run(command, capture_output=True, check=True)
    return made


@pytest.mark.parametrize(
    "example", [example for options, example in SLOW.items() if options != ("generate",)], ids=str
)
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


def test_examples_leave_derived_suites_as_they_are(copy: Path) -> None:
    """Deriving the sample suite anew gives the bytes that are in the repository."""
    spec = "reference/akari/spec.md"
    subprocess.run([str(BIN / "grader"), "derive", spec], cwd=copy, capture_output=True, check=True)
    expected = (ROOT / "testsuites/akari.yaml").read_bytes()
    assert expected == (copy / "testsuites/akari.yaml").read_bytes()


@pytest.mark.parametrize("block", SUITES, ids=str)
def test_suite_examples_load(block: Block, tmp_path: Path) -> None:
    """Every YAML example is a suite, the settings of one, or a part that fits into one."""
    data = yaml.safe_load(block.text)
    if isinstance(data, dict) and data.keys() >= {"exercise", "groups", "sessions"}:
        _load(block.text, tmp_path)
    elif isinstance(data, dict) and "exercise" in data:
        path = tmp_path / "exercise.yaml"
        path.write_text(block.text, encoding="utf-8")
        load_settings(path)
    elif isinstance(data, dict) and data.keys() == {"equivalent"}:
        public = parse_suite(f"{HEAD_OF_ONE}{SESSION_OF_ONE}".encode(), "one.yaml")
        text = f"exercise: one\n{SESSION_OF_ONE.replace('id: s', 'id: h')}{block.text}"
        assert parse_hidden_suite(text.encode(), "one.hidden.yaml", public).equivalent
    else:
        _load(_completed(block.text, data), tmp_path)


HEAD_OF_ONE: Final = """\
exercise: one
title: One
language: en
module: one
defines: [one]
groups: [{id: one, points: 1}]
"""
SESSION_OF_ONE: Final = "sessions: [{id: s, steps: [{do: one(), group: one}]}]\n"


def _load(suite: str, folder: Path) -> None:
    """Load `suite` as a file of `folder`, in which all code lies that it names."""
    data = yaml.safe_load(suite)
    for file in (*data.get("given", {}).values(), *data.get("stand_ins", {}).values()):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    parse_suite(suite.encode(), str(folder / "suite.yaml"))


def _completed(text: str, data: object) -> str:
    """Return a suite with the part `text` of one in it; what the part says stands as it is."""
    if isinstance(data, list):
        steps = "".join(f"      {line}\n" for line in text.splitlines())
        text = f"sessions:\n  - id: s\n    steps:\n      - do: puzzle = Puzzle(4)\n{steps}"
    elif "sessions" not in cast(dict[str, Any], data):
        names = cast(dict[str, Any], data).get("defines", ["g"])
        steps = ", ".join(f"{{do: Puzzle(4), group: {name.rpartition('.')[2]}}}" for name in names)
        text += f"sessions: [{{id: s, steps: [{steps}]}}]\n"
    part = yaml.safe_load(text)
    groups = dict.fromkeys(_groups(part["sessions"]))
    listed = ", ".join(f"{{id: {group}, points: 1}}" for group in groups)
    missing = {**SUITE_HEAD, **({} if "modules" in part else ONE_MODULE), "groups": f"[{listed}]"}
    head = "".join(f"{key}: {value}\n" for key, value in missing.items() if key not in part)
    return head + text


def _groups(sessions: list[dict[str, Any]]) -> Iterator[str]:
    for step in chain.from_iterable(session["steps"] for session in sessions):
        if "group" in step:
            yield step["group"]


def test_hidden_suite_examples_load() -> None:
    """Every example of a hidden suite adds to the example of the public suite that it names."""
    public = {}
    for block in SUITES:
        data = yaml.safe_load(block.text)
        if isinstance(data, dict) and data.keys() >= {"exercise", "groups", "sessions"}:
            public[f"{data['exercise']}.hidden.yaml"] = block
    hidden = [block for block in BLOCKS if block.file.endswith(".hidden.yaml")]
    assert hidden
    for block in hidden:
        suite = parse_suite(public[block.file].text.encode(), "suite.yaml")
        parse_hidden_suite(block.text.encode(), block.file, suite)


def test_other_yaml_is_yaml() -> None:
    """Examples for CI systems can at least be read."""
    others = [block for block in BLOCKS if block.language == "yaml" and block.file]
    assert others
    for block in others:
        assert yaml.safe_load(block.text)


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


# Reference pages


def schema_tables() -> dict[str, str]:
    """Return the tables of the page on suites, as the schema has them."""
    schema, hidden = cast(dict[str, Any], suite_schema()), cast(dict[str, Any], hidden_schema())
    definitions = {one["title"]: one for one in (schema["$defs"] | hidden["$defs"]).values()}
    kinds = definitions["rules"]["properties"]
    shared = set.intersection(*(set(definitions[kind]["properties"]) for kind in kinds))
    tables = {"rule": _table(definitions["loops"], shared), "suite": _table(schema)}
    tables["hidden"] = _table(hidden)
    for name, one in definitions.items():
        left_out = shared if name in kinds else set()
        tables[name] = _table(one, one["properties"].keys() - left_out)
    return tables


def _table(definition: dict[str, Any], keys: Collection[str] | None = None) -> str:
    """Return the table of `definition`, with those of `keys` only if there are any."""
    rows = ["| Key | Needed | Default | Meaning | Example |", "|---|---|---|---|---|"]
    for key, facts in definition["properties"].items():
        if keys is not None and key not in keys:
            continue
        needed = "yes" if key in definition.get("required", []) else ""
        default = facts.get("default")
        shown = str(default).lower() if isinstance(default, bool) else str(default)
        default = "" if default in (None, [], {}) else f"`{shown}`"
        example = _flow(facts["examples"][0])
        rows.append(f"| `{key}` | {needed} | {default} | {facts['description']} | `{example}` |")
    return "\n".join(rows) + "\n"


def _flow(example: object) -> str:
    """Return `example` as YAML on one line."""
    shown = json.dumps(example, ensure_ascii=False)
    if isinstance(example, str) and "\n" not in example:
        shown = yaml.safe_dump(example, width=10_000, allow_unicode=True).splitlines()[0]
    return shown.replace("|", "\\|")


def with_tables(page: str) -> str:
    """Return the text of the page on suites with its tables made anew."""
    tables = schema_tables()
    return _TABLE.sub(lambda found: found["start"] + tables[found["name"]] + found["end"], page)


def test_suite_page_has_every_key() -> None:
    """The tables of the page on suites are those of the schema: run this file to mend them."""
    shown = {found["name"]: found["rows"] for found in _TABLE.finditer(text_of(SUITE_PAGE))}
    assert schema_tables() == shown


def test_limits_page_has_every_limit() -> None:
    """Every limit has its row, with its default and its bounds, and a word for students."""
    page = text_of(REFERENCE / "limits.md")
    schema = cast(dict[str, Any], suite_schema())
    bounds = schema["$defs"]["LimitsForm"]["properties"]
    for limit in fields(Limits):
        least = bounds[limit.name].get("minimum")
        span = f"over 0, to {bounds[limit.name]['maximum']:g}"
        if least is not None:
            span = f"{least} to {bounds[limit.name]['maximum']}"
        assert f"| `{limit.name}` | {limit.default} | {span} |" in page
        assert re.search(rf"^\*\*[^*]*`{limit.name}`[^*]*\*\*", page, re.MULTILINE)


@pytest.mark.parametrize(
    "row",
    [
        f"| characters of an exception's message that are compared | {MAX_MESSAGE_CHARS:,} |",
        f"| all that one request gives back | {MAX_REPLY_BYTES // 1024**2} MiB |",
        f"| all that one submission gives back | {MAX_SUBMISSION_REPLY_BYTES // 1024**2} MiB |",
        f"first {MAX_STDOUT_CHARS:,} characters",
        f"| one file | {intake_files.MAX_FILE_BYTES // 1024**2} MiB |",
        f"| all files of a submission | {intake_files.MAX_SUBMISSION_BYTES // 1024**2} MiB |",
        f"| files of a submission | {intake_files.MAX_FILES} |",
        f"| folders within folders | {intake_files.MAX_DEPTH} |",
        f"| uses of one construct | {SURVEY_CAPS.constructs_of_a_kind:,} |",
        f"| functions | {SURVEY_CAPS.functions:,} |",
        f"| seconds for ruff | {linting.WALL_S:g} |",
        f"| the file | {source.MAX_BYTES // 1024**2} MiB |",
        f"| levels of nesting | {document.MAX_DEPTH} |",
        f"| keys and values | {document.MAX_NODES:,} |",
    ],
)
def test_limits_page_has_the_fixed_limits(row: str) -> None:
    """Limits that no suite can change stand there as they are in the code."""
    assert row in text_of(REFERENCE / "limits.md")


def test_verdicts_page_has_every_verdict() -> None:
    """Every verdict has its row, with the word and the sentence that students read."""
    page, words = text_of(REFERENCE / "verdicts.md"), catalog("en")
    for verdict in Verdict:
        row = f"| `{verdict}` | {words[f'report.verdict_{verdict}']} |"
        meaning = words.get(f"report.meaning_{verdict}")
        (line,) = [line for line in page.splitlines() if line.startswith(row)]
        assert meaning is None or f"“{meaning}”" in line


def test_verdicts_page_has_every_status_and_visibility() -> None:
    """Every status and every visibility has its row."""
    page = text_of(REFERENCE / "verdicts.md")
    for word in (*Status, *Visibility):
        assert f"| `{word}` |" in page


@pytest.mark.parametrize(
    "page", [REFERENCE / "limits.md", ROOT / "docs/how-to/student.md"], ids=named
)
def test_quoted_sentences_are_in_the_catalog(page: Path) -> None:
    """What a page says that students read is what the English catalog says."""
    sentences = [re.sub(r"\{\w+\}", "...", sentence) for sentence in catalog("en").values()]
    quotes = re.findall(r"“([^”]+)”", words_of(text_of(page)))
    assert quotes
    for quote in quotes:
        parts = [re.escape(part.strip(" `")) for part in quote.split("...")]
        pattern = re.compile(".*".join(parts))
        assert any(pattern.search(sentence) for sentence in sentences), quote


@pytest.mark.parametrize("name", program.list_commands(click.Context(program)))
def test_command_line_page_has_every_option(name: str) -> None:
    """Every verb has its section, and every option of it its row."""
    page = text_of(REFERENCE / "command-line.md")
    section = page.split(f"\n## grader {name}\n")[1].split("\n## ")[0]
    for parameter in verb(name).params:
        for option in parameter.opts if isinstance(parameter, click.Option) else ():
            assert re.search(rf"^\| `{option}[` ]", section, re.MULTILINE), option


def test_command_line_page_has_every_exit_code() -> None:
    """The exit codes that the help and the errors know are those of the table."""
    page = text_of(REFERENCE / "command-line.md").split("## Exit codes")[1]
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    spoken = words_of(program.help or "").split("Exit codes:")[1]
    raised = {error.exit_code for error in _all_errors(GraderError)}
    assert {int(code) for code in re.findall(r"\b\d+\b", spoken)} | raised == told


def _all_errors(kind: type[GraderError]) -> Iterator[type[GraderError]]:
    yield kind
    for special in kind.__subclasses__():
        yield from _all_errors(special)


def test_results_page_has_every_key(copy: Path) -> None:
    """Every key of `results.json` has its row, and the example has the same keys."""
    page = text_of(REFERENCE / "results.md")
    (block,) = [b for b in BLOCKS if b.language == "json" and b.page.name == "results.md"]
    command = [str(BIN / "grader"), "check", "submissions/yinyang/desmet_emma.py", "--json"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=True)
    shown, real = yaml.safe_load(block.text), yaml.safe_load(done.stdout)
    assert run_document([])["schema"] == shown["schema"] == real["schema"]
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


# Architecture


def _rows() -> list[list[str]]:
    table = text_of(ROOT / "docs/architecture.md").split("<!-- layers -->")[1]
    rows = re.findall(r"^\| [^|]+ \| (`.+`) \|$", table.split("<!-- /layers -->")[0], re.MULTILINE)
    return [re.findall(r"`(\w+)`", row) for row in rows]


def _imports(path: Path) -> Iterator[str]:
    """Yield the modules and packages of ours that a file imports, lazily too."""
    tops = {one.stem for one in (ROOT / "grader").iterdir()}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "grader":
            assert node.module is not None
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "grader" and len(parts) > 1 and parts[1] in tops:
                yield parts[1]


def test_imports_point_down_the_table() -> None:
    """A module imports only what stands below it in the table; nobody imports the island."""
    *layers, island = _rows()
    height = {name: -row for row, names in enumerate(layers) for name in names}
    modules = {path.stem for path in (ROOT / "grader").glob("*.py")} - {"__init__"}
    packages = {path.parent.name for path in (ROOT / "grader").glob("*/__init__.py")}
    assert modules | packages == height.keys() | set(island)
    for path in (ROOT / "grader").rglob("*.py"):
        top = path.relative_to(ROOT / "grader").parts[0].removesuffix(".py")
        others = set(_imports(path)) - {top}
        if top in island:
            assert others <= {"protocol"}, path
        elif top != "__init__":
            wrong = {other for other in others if height.get(other, 1) >= height[top]}
            assert not wrong, f"{path} imports {wrong}"


if __name__ == "__main__":
    SUITE_PAGE.write_text(with_tables(text_of(SUITE_PAGE)), encoding="utf-8")
