"""What there is to say is there in each language, and none of it is idle."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import fields as fields_of
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest
import yaml

from grader.executor.isolation_layers import IsolationLayers
from grader.intake import kinds
from grader.judging.rules.probes import Growth
from grader.messages import Message, message
from grader.plugins.authoring.auditing import clauses
from grader.plugins.authoring.deriving import document
from grader.protocol import Excess
from grader.reporting.index_entry import STOPPED
from grader.reporting.wording import LANGUAGES, catalog, format_message, phrase
from grader.suite.model import LanguageCode
from grader.verdict import RuleVerdict, Verdict

IMPORT_VERDICTS = (
    Verdict.ERROR,
    Verdict.TIMED_OUT,
    Verdict.MEMORY,
    Verdict.OUTPUT,
    Verdict.CRASHED,
    Verdict.EXITED,
    Verdict.FORBIDDEN,
    Verdict.TAMPERED,
)
"""What can become of loading a file; WRONG and the like need an expectation."""
GROWING = ("cost.", "cost.above_", "demand.time_")
"""What is said of each kind of growth."""
IMPORT_CAUSES = ("input", "helper", "not_allowed")
"""Exceptions at that time which have a sentence of their own."""
LEFT_OUT = ("error", "exited", "forbidden", "memory", "output", "timed_out")
"""How what is left out of a file can have stopped."""


def fields(sentence: str) -> set[str]:
    """Return the names of the parameters in `sentence`."""
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def computed_keys() -> set[str]:
    """Return the keys that are put together at run time, family by family."""
    excesses = {value for name, value in vars(Excess).items() if name.isupper()}
    lists = ("wrong.missing", "wrong.extra", "wrong.missing_keys", "wrong.extra_keys")
    return {
        *(f"wrong.too_large.{excess}" for excess in excesses),
        *(f"gap.{layer.name}" for layer in fields_of(IsolationLayers)),
        *(f"loading.{verdict.lower()}" for verdict in IMPORT_VERDICTS),
        *(f"loading.{end}" for end in IMPORT_CAUSES),
        *(f"left_out.{end}" for end in LEFT_OUT),
        *(f"{key}{end}" for key in lists for end in ("", "_more")),
        *(f"ungradable.{kind}" for kind in kinds.KINDS),
        *(f"stopped.{kind}" for kind in {*STOPPED.values(), "loading", "other"}),
        *(f"died.{verdict.lower()}" for verdict in IMPORT_VERDICTS[1:]),
        *(f"decided.rule_{verdict.value}" for verdict in RuleVerdict),
        *(f"{family}{growth}" for family in GROWING for growth in get_args(Growth)),
    }


def texts_in_code(root: Path) -> Iterator[tuple[str, str]]:
    """Yield (file, text) for each string constant in the program, docstrings included."""
    for path in sorted((root / "grader").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield path.name, node.value


def literal_messages(root: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield (key, parameters) for each `message("key", ...)` in the program."""
    for path in sorted((root / "grader").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name(id="message"), args=[ast.Constant(value=str() as key)]
                ) if not any(keyword.arg is None for keyword in node.keywords):
                    yield key, {keyword.arg or "" for keyword in node.keywords}


def catalog_files(root: Path) -> Iterator[str]:
    """Yield the text of each file of sentences."""
    for path in sorted((root / "grader/reporting/wording").glob("*.yaml")):
        yield path.read_text(encoding="utf-8")


@pytest.fixture(scope="module", name="written")
def _written(root: Path) -> dict[str, dict[str, str]]:
    """Return the sentences by key and language, as any reader of YAML has them."""
    read = (yaml.load(text, Loader=yaml.CSafeLoader) for text in catalog_files(root))
    return {key: said for subject in read for key, said in subject.items()}


def test_languages_are_those_of_suites() -> None:
    """A suite may be in each language that there are sentences in, and in no other."""
    assert LANGUAGES == get_args(LanguageCode)


@pytest.mark.parametrize("words", [document._WORDS, clauses._WORDS])
def test_words_of_authors_are_in_each_language(words: Mapping[str, object]) -> None:
    """A suite is derived from a text, and audited against it, in each language."""
    assert set(LANGUAGES) == words.keys()


def test_each_message_is_in_each_language(written: dict[str, dict[str, str]]) -> None:
    """A key without a sentence in some language is told, and so is a language too many."""
    lacking = [
        f"{key}: {language}"
        for key, said in written.items()
        for language in sorted(said.keys() ^ set(LANGUAGES))
    ]
    assert [] == lacking


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_language_is_read_alone(written: dict[str, dict[str, str]], language: str) -> None:
    """Its sentences are those that YAML says, whose other features the files do without."""
    assert catalog(language) == {key: said.get(language) for key, said in written.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogs_agree(language: str) -> None:
    """All languages have the same keys, with the same parameters."""
    english = {key: fields(text) for key, text in catalog("en").items()}
    assert english == {key: fields(text) for key, text in catalog(language).items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_whole(language: str) -> None:
    """No sentence is empty, retyped by YAML, has stray blanks, or formats past its parameters."""
    for key, text in catalog(language).items():
        assert isinstance(text, str), key
        assert text == text.strip() != "", key
        assert all(name.isidentifier() for name in fields(text)), key


def test_a_rule_that_was_not_checked_is_said_to_be_so(written: dict[str, dict[str, str]]) -> None:
    """In no language there is nothing to say, as a person may have to look at what was seen."""
    unchecked = [
        said
        for said in written.values()
        if said["en"].endswith(", so this rule could not be checked.")
    ]
    assert unchecked
    for language, words in {
        "de": "also konnte diese Regel nicht geprüft werden.",
        "es": "así que no se ha podido comprobar esta regla.",
        "fr": "cette règle n'a donc pas pu être vérifiée.",
        "nl": "dus kon deze regel niet nagekeken worden.",
    }.items():
        assert [] == [said[language] for said in unchecked if not said[language].endswith(words)]


def test_each_key_stands_once(root: Path, written: dict[str, dict[str, str]]) -> None:
    """A key that stood twice would silently lose one of its sentences."""
    keys = [
        line.partition(":")[0]
        for text in catalog_files(root)
        for line in text.splitlines()
        if not line.startswith(("#", " "))
    ]
    assert sorted(written) == sorted(keys)


def test_a_singular_is_another_sentence(written: dict[str, dict[str, str]]) -> None:
    """A singular that is the plural in every language says nothing, and none is without one."""
    singulars = {key: key.removesuffix("_one") for key in written if key.endswith("_one")}
    assert [] == [key for key, plural in singulars.items() if written[key] == written[plural]]


def test_every_message_has_a_sentence(root: Path) -> None:
    """Whatever the program says is in the catalogs, and fills in all that its sentence needs."""
    found = list(literal_messages(root))
    assert len(found) > 20
    for key, given in found:
        assert key in catalog("en"), key
        assert fields(catalog("en")[key]) <= given, key


def test_computed_keys_have_a_sentence() -> None:
    """Families of keys that are put together at run time are complete."""
    assert set() == computed_keys() - catalog("en").keys()


def test_no_sentence_is_idle(root: Path) -> None:
    """Each sentence is said somewhere; those of the reports have a test of their own."""
    used = {text for _, text in texts_in_code(root)} | computed_keys()
    idle = {
        key
        for key in catalog("en")
        if not key.startswith("report.") and key.removesuffix("_one") not in used
    }
    assert set() == idle


@pytest.mark.parametrize("language", LANGUAGES)
def test_singular_and_plural(language: str) -> None:
    """A count of one takes the singular; a key without one takes its only sentence."""
    one, two = (phrase(language, "report.hidden", met="0", count=count) for count in (1, 2))
    assert one == catalog(language)["report.hidden_one"].format(met="0", count=1)
    assert two == catalog(language)["report.hidden"].format(met="0", count=2)
    assert format_message(message("wrong.text_empty", count=1), language)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("if True\n    pass\n", "hier moet een dubbelepunt (`:`) staan"),
        ("f(1 2)\n", "ongeldige syntaxis. Ontbreekt er misschien een komma?"),
        ("f() = 1\n", "ongeldige syntaxis. Bedoel je misschien `==` in plaats van `=`?"),
        ("x = ]\n", "het haakje dat bij `]` hoort, ontbreekt"),
        ("x = (1\n", "`(` wordt nergens gesloten"),
        ("x = 'a\n", "deze tekst wordt niet afgesloten met een aanhalingsteken"),
        ("  x = 1\n", "deze regel springt te ver in"),
        (
            "if 1:\n        x = 1\n    y = 2\n",
            "deze regel springt anders in dan alle regels ervoor",
        ),
        ("if 1:\nx = 1\n", "hier moet een ingesprongen blok staan"),
        ("if 1:\n        x = 1\n\ty = 2\n", "tabs en spaties worden door elkaar gebruikt"),
        ("print 'a'\n", "de haakjes van `print` ontbreken: `print(...)`"),
        ("x = = 1\n", "ongeldige syntaxis"),
        ("x = f(int(r]\n", "`]` sluit niet wat met `(` geopend is"),
        ("x = \u201ca\u201d\n", "hier staat een teken dat Python niet kent"),
        ("x =\u00a01\n", "hier staat een teken dat Python niet kent"),
        ("try:\n    x = 1\ny = 2\n", "hier moet een `except` of `finally` staan"),
        ("return 1\n", "deze `return` staat niet in een functie"),
        ("break\n", "deze `break` staat niet in een lus"),
        ("continue\n", "deze `continue` staat niet in een lus"),
        ("def f(a=1, b): pass\n", "een parameter zonder standaardwaarde staat na een met"),
    ],
)
def test_what_python_says_of_syntax_is_translated(source: str, said: str) -> None:
    """A sentence is in one language, save for what is too rare; English has Python's own words."""
    with pytest.raises(SyntaxError) as found:
        compile(source, "m.py", "exec")
    what = message("stop.syntax", file="m.py", line=1, message=found.value.msg)
    assert f"Python kan regel 1 van m.py niet lezen: {said}" in format_message(what, "nl")
    assert format_message(what, "en").endswith(found.value.msg)


def test_an_unknown_language_falls_back() -> None:
    """A language without a catalog is answered in English."""
    for language in ("", "xx", "../en", "EN"):
        assert format_message(message("wrong.text"), "en") == format_message(
            message("wrong.text"), language
        )


def test_an_unknown_key_is_a_mistake_of_ours() -> None:
    """There is no silent default for a sentence that does not exist."""
    with pytest.raises(KeyError):
        format_message(message("no.such.key"), "en")


def test_parameters_are_filled_in_once() -> None:
    """Braces in what a submission wrote are text, not parameters."""
    said = phrase("en", "wrong.missing", items="{more} {0.__class__}", more=0)
    assert "Missing: {more} {0.__class__}" == said


def test_messages_are_plain_data() -> None:
    """A message does not depend on the order of its parameters, and becomes JSON."""
    one = message("k", b=1, a="x")
    assert Message("k", (("a", "x"), ("b", 1))) == one
    assert {"key": "k", "parameters": {"a": "x", "b": 1}} == one.to_json()
