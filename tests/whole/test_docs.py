"""The documentation is true: links resolve, reference pages and indexes are complete.

Run as a program, this file writes the tables that are made from the schema anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final, cast

import click
import pytest
import yaml
from documentation import PAGES, REFERENCE, ROOT, named, prose_of, text_of, verb

from grader.cli.verbs import program
from grader.errors import GraderError
from grader.intake import archives, listing, members, tars
from grader.intake import files as intake_files
from grader.judging.rules import KINDS
from grader.plugins.advice import linting
from grader.plugins.authoring.schema import hidden_schema, suite_schema
from grader.protocol import (
    MAX_MESSAGE_CHARS,
    MAX_REPLY_BYTES,
    MAX_STDOUT_CHARS,
    MAX_SUBMISSION_REPLY_BYTES,
    SURVEY_CAPS,
)
from grader.reporting.wording import catalog
from grader.suite import diagnostics, reading
from grader.suite.limits import Limits
from grader.verdict import Status, Verdict, Visibility

SUITE_PAGE: Final = REFERENCE / "suite.md"
DECISIONS: Final = sorted((ROOT / "docs/decisions").glob("0*.md"))
DECISION_INDEX: Final = ROOT / "docs/decisions/README.md"
TOPS: Final = tuple(f"{p.name}/" for p in ROOT.iterdir() if p.is_dir() and p.name[0] != ".")
LIKE_SESSIONS: Final = frozenset({"hidden_session", "sibling"})
"""Forms of which the page shows only the keys that differ from those of a public session."""
LONGEST_EXAMPLE: Final = 60
"""Longer ones make a table too wide: the page shows them as YAML."""
_LINK: Final = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_TABLE: Final = re.compile(
    r"(?P<start><!-- schema: (?P<name>\w+) -->\n)(?P<rows>.*?)(?P<end><!-- /schema -->)", re.DOTALL
)


def words_of(text: str) -> str:
    """Return `text` on one line, however its lines were broken."""
    return " ".join(text.split())


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
    """The index of the documentation links to each page in it, or that of a folder does."""
    index = ROOT / "docs/README.md"
    linked = {
        (each.parent / found["target"]).resolve()
        for each in (ROOT / "docs").rglob("README.md")
        for found in _LINK.finditer(text_of(each))
    }
    pages = set((ROOT / "docs").rglob("*.md")) - {index}
    assert pages == pages & linked


def test_readme_is_short() -> None:
    """The README has fewer than 120 lines."""
    assert len(text_of(ROOT / "README.md").splitlines()) < 120


def test_pictures_are_small() -> None:
    """Each is under 200 kB."""
    assert all(each.stat().st_size < 200_000 for each in (ROOT / "docs/pictures").iterdir())


@pytest.mark.parametrize("page", DECISIONS, ids=named)
def test_decisions_have_one_form(page: Path) -> None:
    """A decision has a number, and says context, decision and consequences."""
    number = int(page.name.split("-")[0])
    titles = re.findall(r"^##? (.+)$", text_of(page), re.MULTILINE)
    assert titles[1:] == ["Context", "Decision", "Consequences"]
    assert titles[0].startswith(f"{number}. ")


# Reference pages


def schema_tables() -> dict[str, str]:
    """Return the tables of the page on suites, as the schema has them."""
    schema, hidden = (
        cast(dict[str, Any], suite_schema(KINDS)),
        cast(dict[str, Any], hidden_schema()),
    )
    definitions = {one["title"]: one for one in (schema["$defs"] | hidden["$defs"]).values()}
    kinds = definitions["rules"]["properties"]
    shared = set.intersection(*(set(definitions[kind]["properties"]) for kind in kinds))
    tables = {"rule": _table(definitions["loops"], shared), "suite": _table(schema)}
    tables["hidden"] = _table(hidden)
    session = definitions["session"]["properties"].items()
    for name, one in definitions.items():
        left_out = shared if name in kinds else set()
        if name in LIKE_SESSIONS:
            left_out = {key for key, facts in one["properties"].items() if (key, facts) in session}
        tables[name] = _table(one, one["properties"].keys() - left_out)
    return tables


def _table(definition: dict[str, Any], keys: Collection[str] | None = None) -> str:
    """Return the table of `definition`, with those of `keys` only if there are any."""
    rows = ["| Key | Default | Meaning | Example |", "|---|---|---|---|"]
    for key, facts in definition["properties"].items():
        if keys is not None and key not in keys:
            continue
        default = facts.get("default")
        shown = str(default).lower() if isinstance(default, bool) else str(default)
        default = "" if default in (None, [], {}) else f"`{shown}`"
        if key in definition.get("required", []):
            default = "required"
        example = _flow(facts["examples"][0])
        shown = f"`{example}`" if len(example) <= LONGEST_EXAMPLE else ""
        rows.append(f"| `{key}` | {default} | {facts['description']} | {shown} |")
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
    schema = cast(dict[str, Any], suite_schema(KINDS))
    bounds = schema["$defs"]["LimitsForm"]["properties"]
    for name, limit in Limits.form_keys.items():
        each = bounds[name].get("additionalProperties", bounds[name])
        least = each.get("minimum")
        span = f"over 0, to {each['maximum']:g}"
        if least is not None:
            span = f"{least} to {each['maximum']}"
        default = limit.settings.get("default", "none")
        assert f"| `{name}` | {default} | {span} |" in page
        assert re.search(rf"^\*\*[^*]*`{name}`[^*]*\*\*", page, re.MULTILINE)


@pytest.mark.parametrize(
    "row",
    [
        f"| characters of an exception's message that are compared | {MAX_MESSAGE_CHARS:,} |",
        f"| all that one step gives back | {MAX_REPLY_BYTES // 1024**2} MiB |",
        f"| all that one session gives back | {MAX_SUBMISSION_REPLY_BYTES // 1024**2} MiB |",
        f"| all that one submission gives back | {MAX_SUBMISSION_REPLY_BYTES // 1024**2} MiB |",
        f"first {MAX_STDOUT_CHARS:,} characters",
        f"| one file | {intake_files.MAX_FILE_BYTES // 1024**2} MiB |",
        f"| all files of a submission | {intake_files.MAX_SUBMISSION_BYTES // 1024**2} MiB |",
        f"| files of a submission | {intake_files.MAX_FILES} |",
        f"| folders within folders | {members.MAX_LEVELS} |",
        f"those of all archives in it included | {listing.MAX_ENTRIES:,} |",
        f"| entries of an archive within an archive or a folder | {listing.MAX_NESTED_ENTRIES:,} |",
        f"| archives within an archive or a folder | {archives.MAX_LEVELS} levels |",
        f"| an archive within an archive | {listing.MAX_NESTED_BYTES // 1024**2} MiB |",
        f"| {listing.MAX_UNPACKED_BYTES // 1024**3} GiB and twice the size of the archive;",
        f"of a compressed tar {tars.MAX_RATIO} times its size",
        f"compressed tars | {listing.MAX_KEPT_BYTES // 1024**2} MiB |",
        f"folders included | {members.MAX_PATH_CHARS:,} |",
        f"| uses of one construct | {SURVEY_CAPS.constructs_per_function:,} |",
        f"| functions | {SURVEY_CAPS.functions:,} |",
        f"| seconds for ruff | {linting.WALL_S:g} |",
        f"| the file | {diagnostics.MAX_BYTES // 1024**2} MiB |",
        f"| levels of nesting | {reading.MAX_DEPTH} |",
        f"| keys and values | {reading.MAX_NODES:,} |",
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
    command = verb(name)
    parts = command.commands.values() if isinstance(command, click.Group) else [command]
    for parameter in (parameter for part in parts for parameter in part.params):
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


# Decisions


def test_each_decision_is_in_the_index_once() -> None:
    """It is listed under a package that exists, with its number and its file."""
    index = text_of(DECISION_INDEX).split("\n## By package\n")[1]
    packages = re.findall(r"^### `(.+)`$", index, re.MULTILINE)
    assert packages
    assert all((ROOT / package).is_dir() for package in packages)
    listed = re.findall(r"^- \[(\d+)\. .+\]\(([\w-]+\.md)\)", index, re.MULTILINE)
    assert sorted(name for _, name in listed) == [page.name for page in DECISIONS]
    assert all(int(number) == int(name[:4]) for number, name in listed)


def test_each_question_of_the_index_is_answered() -> None:
    """A question leads to decisions by their numbers."""
    questions = text_of(DECISION_INDEX).split("\n## By package\n")[0]
    rows = re.findall(r"^\| (.+\?.*) \| (.+) \|$", questions, re.MULTILINE)
    assert rows
    for question, answers in rows:
        links = re.findall(r"\[(\d+)\]\((\d+)-", answers)
        assert links, question
        assert all(int(number) == int(file) for number, file in links), question


@pytest.mark.parametrize("page", DECISIONS, ids=named)
def test_superseded_decisions_are_marked(page: Path) -> None:
    """What a decision says that it supersedes is marked so in the index."""
    index = text_of(DECISION_INDEX).split("\n## By package\n")[1]
    number = int(page.name[:4])
    for old in re.findall(r"[Ss]upersedes [^[.]*\[(?:decision )?(\d+)\]", words_of(text_of(page))):
        (line,) = re.findall(rf"^- \[{old}\. .+$", index, re.MULTILINE)
        assert re.search(rf"superseded by [\d, and]*\b{number}\b", line), line


# Style

PHRASES: Final = (
    *("hears? that", "an end to", "all that there is", "whatever there is", "so it is with"),
    *("and so it is", "as ever", "in vain", "hung on", "no one's", "of which there (is|are) none"),
    *("that there (is|are) not", "as there (is|are) none", "as far as there (is|are)"),
    *("what stands for", "what it comes to", "gone on with", "is none of", "is nobody's"),
    *("nothing is said of", "can bear", "save for", "where else", "exists already", "is told"),
    *("one after the other", "for ever", "at all events", "makes known", "a moment later"),
)
"""Phrases that sound translated."""
MAX_LINES: Final = 400


@pytest.mark.parametrize("phrase", PHRASES)
def test_no_phrase_sounds_translated(phrase: str) -> None:
    """Neither pages nor code have the phrases."""
    pattern = re.compile(rf"\b{phrase}\b", re.IGNORECASE)
    # Decisions are not edited, and CONTRIBUTING.md shows examples.
    texts = set(PAGES) - {*DECISIONS, ROOT / "CONTRIBUTING.md"}
    texts.update((ROOT / "grader").rglob("*.py"))
    assert not [named(text) for text in texts if pattern.search(words_of(text_of(text)))]


def test_no_module_is_long() -> None:
    """A module that grows longer has a part that deserves a name of its own."""
    lengths = {path: text_of(path).count("\n") for path in (ROOT / "grader").rglob("*.py")}
    assert not [named(path) for path, length in lengths.items() if length > MAX_LINES]


if __name__ == "__main__":
    SUITE_PAGE.write_text(with_tables(text_of(SUITE_PAGE)), encoding="utf-8")
