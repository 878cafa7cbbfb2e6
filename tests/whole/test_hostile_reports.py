"""What is reported of the corpus of attacks: nothing hidden, and nothing that anybody obeys."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hostile_runs import CORPUS, MIXED, ROOT, TATTLERS, Batch, batch_for, case_of, corpus
from read_pages import OUR_TAGS, Reader
from selection import HOSTS

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is for Linux"),
    pytest.mark.walls(one_in=1),  # the attacks are drawn, not the tests
    pytest.mark.timeout(900),  # a worker may have to wait for batches, on a busy machine
]

ARGUMENT: Final = 987654321
"""What the hidden session of the target hands to attacks."""
TOKEN: Final = "token-3-5b9d20e7f4a6813c"
"""What that session expects."""
OVERHEARD: Final = "OVERHEARD"
"""What attacks say when they were handed it."""
BETWEEN_DIGITS: Final = r"(?:\W|\\u200b){0,12}"
HOSTILE_TEXTS: Final = [attack.name for attack in corpus() if "hostile" in attack.name]
"""Attacks by what they say."""
TEMPLATES: Final = ROOT / "grader" / "reporting" / "templates"
OBEYED: Final = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that a terminal, a browser or a parser may obey."""
COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module", params=HOSTS)
def batch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Batch:
    """The whole corpus beside honest submissions, graded in a kind of host."""
    return batch_for(request, tmp_path_factory)


# What is hidden


def hidden_in(text: str) -> Iterator[str]:
    """Yield what of the hidden session stands in `text`, in whatever form."""
    digits = str(ARGUMENT)
    coded = base64.b64encode(digits.encode()).decode().rstrip("=")
    numerals = (f"{ARGUMENT:x}", f"{ARGUMENT:o}", f"{ARGUMENT:b}")
    for form in (digits, *numerals, digits.encode().hex(), coded, TOKEN, OVERHEARD):
        yield from (each for each in (form, form[::-1]) if each in text)
    for order in (digits, digits[::-1]):
        yield from re.findall(BETWEEN_DIGITS.join(order), text)


def test_what_is_hidden_would_be_found() -> None:
    """The search for what is hidden finds it in each form."""
    for said in ("x987654321", "123456789", "3ade68b1", "9 8 7\n6, 5\u200b4 3 2 1", TOKEN):
        assert list(hidden_in(said))
    assert not list(hidden_in("98765432 token-1 OVER"))


@pytest.mark.parametrize("name", TATTLERS)
def test_hidden_input_reaches_those_who_tell(batch: Batch, name: str) -> None:
    """Some attacks print, raise and return what the hidden session hands them."""
    hidden = case_of(batch.entries["target", name], "withheld/hidden")
    assert hidden["verdict"] == name.partition("-")[0]


def test_nothing_hidden_is_reported(batch: Batch) -> None:
    """No page, no XML, no JSON and no line of talk has the input of a hidden case or its output."""
    found = [
        f"{where}: {hidden}"
        for where, data in batch.written()
        for text in texts_of(where, data)
        for hidden in hidden_in(text)
    ]
    assert not found, "\n".join(["hidden, and reported:", *found])


def texts_of(where: str, data: bytes) -> Iterable[str]:
    """Return the text of a file as it stands, and as it is read."""
    text = data.decode("utf-8")
    return (text, "".join(Reader(text).text)) if where.endswith(".html") else (text,)


@pytest.mark.walls
@pytest.mark.parametrize("name", TATTLERS)
def test_nothing_hidden_is_told_to_who_checks(name: str) -> None:
    """`grader check` tells nothing hidden either, in words or in JSON."""
    for options in ([], ["--json"]):
        assert [] == list(hidden_in(checked(name, *options)))


def checked(name: str, *options: str, **environment: str) -> str:
    """Return what `grader check` says of an attack."""
    command = [sys.executable, "-c", "from grader.cli.verbs import main; main()", "check"]
    done = subprocess.run(
        [*command, str(CORPUS / name), "--exercise", str(CORPUS / "target.yaml"), *options],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert (1, "") == (done.returncode, done.stderr)
    return done.stdout


# What somebody might obey


def our_attributes() -> set[str]:
    """Return the attributes that our templates write."""
    sources = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.glob("*.html"))
    written = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", "", sources, flags=re.DOTALL)
    return {name.lower() for name in re.findall(r'\s([A-Za-z-]+)="', written)} | {
        "open",
        "required",
    }


def test_pages_hold_our_markup_only(batch: Batch) -> None:
    """Each page is well-formed, and has no element or attribute that is not ours."""
    allowed = our_attributes()
    assert not [name for name in allowed if name.startswith("on")]
    for where, reader in pages_of(batch):
        assert [] == reader.open_tags, where
        assert set() == set(reader.tags) - OUR_TAGS, where
        assert 1 == reader.tags.count("style") + len(looks_of(reader, "href", "css")), where
        assert set() == {name for name, _ in reader.attributes} - allowed, where


def test_pages_lead_to_our_pages_only(batch: Batch) -> None:
    """Each link leads to a place in its page, or to a page that is there."""
    for where, reader in pages_of(batch):
        assert reader.values("src") == looks_of(reader, "src", "js"), where
        for href in (*reader.values("href"), *reader.values("src")):
            leads_home = href == "data:," or re.fullmatch(r"#[\w-]+", href)
            assert leads_home or (where.parent / href).is_file(), f"{where}: {href}"


def pages_of(batch: Batch) -> Iterator[tuple[Path, Reader]]:
    """Yield where each page of a batch is, and the page, read."""
    for path in sorted(batch.pages.rglob("*.html")):
        yield path, Reader(path.read_text(encoding="utf-8"))


def looks_of(reader: Reader, attribute: str, kind: str) -> list[str]:
    """Return the files that all pages of a run share, as one page names them."""
    named = re.compile(rf"\.\./page-[0-9a-f]{{12}}\.{kind}")
    return [name for name in reader.values(attribute) if named.fullmatch(name)]


def test_xml_can_be_read(batch: Batch) -> None:
    """JUnit XML is well-formed, with a suite for each submission."""
    root = ET.parse(batch.folder / "mixed.xml").getroot()
    assert "testsuites" == root.tag
    assert len(batch.entries) == len(root)
    assert {"testsuite"} == {child.tag for child in root}


def test_json_can_be_read_by_the_strictest(batch: Batch) -> None:
    """`results.json` is ASCII, has no key twice and no number that JSON does not know."""
    written = (batch.pages / "results.json").read_bytes()
    assert written.decode("ascii") == batch.done(MIXED).out
    document = json.loads(written, object_pairs_hook=_no_key_twice, parse_constant=_refuse)
    assert len(batch.entries) == len(document["submissions"])


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len({key for key, _ in pairs}) == len(pairs)
    return dict(pairs)


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def obeyed_in(text: str) -> set[str]:
    """Return the characters in `text` that somebody may obey."""
    return {each for each in set(text) - set("\n\t") if unicodedata.category(each) in OBEYED}


def test_no_report_holds_a_character_that_anybody_obeys(batch: Batch) -> None:
    """There is no control, invisible or turning character in all that is written and said."""
    found = {where: obeyed_in(data.decode("utf-8")) for where, data in batch.written()}
    assert {} == {where: characters for where, characters in found.items() if characters}


def test_files_are_named_by_us(batch: Batch) -> None:
    """All files are in the folder for reports, regular ones, under names that are safe anywhere."""
    names = [path.relative_to(batch.pages).as_posix() for path in batch.pages.rglob("*")]
    submission = r"(?:target|yinyang)(?:/[a-z0-9_-]{1,60}\.html)?"
    looks = r"page-[0-9a-f]{12}\.(?:css|js)"
    expected = rf"(?:index|evidence)\.html|{looks}|results\.json|run\.(?:db|lock)|{submission}"
    assert [] == [name for name in names if not re.fullmatch(expected, name)]
    assert [] == [path.name for path in batch.pages.rglob("*") if path.is_symlink()]
    named = [name for name in names if re.fullmatch(r"[a-z]+/[^/]+\.html", name)]
    assert len(batch.entries) == len(named)


@pytest.mark.walls
@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_a_terminal_is_told_nothing_that_it_obeys(name: str) -> None:
    """What `grader check` prints in colour has our colours, and no other control character."""
    said = checked(name, FORCE_COLOR="1", TERM="xterm-256color")
    assert COLOUR.search(said)
    assert set() == obeyed_in(COLOUR.sub("", said))
