"""Sentences that a course says in words of its own.

A suite has them by the keys of the catalogs, in its own language, and a record takes them along: so
pages that are made again say the same. A sentence names the parameters of the one that it takes the
place of, all of them and nothing else; one that does not is refused when a suite is read. In a
record it is not believed either: then the sentence of the catalog stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from string import Formatter

from grader.errors import SuiteError
from grader.reporting.wording.catalogs import catalog
from grader.suite.diagnostics import did_you_mean, quoted
from grader.suite.model import Suite


def worded(suite: Suite) -> Suite:
    """Return `suite`; raises `SuiteError` with all that is wrong with its own sentences."""
    if mistakes := list(_mistakes(suite.wording, catalog(suite.language))):
        raise SuiteError(
            f"`wording` of {suite.exercise}: " + "; ".join(mistakes),
            help=f"the sentences are in {files(__package__)}/{suite.language}*.yaml",
        )
    return suite


def fitting(own: Mapping[str, str], sentences: Mapping[str, str]) -> dict[str, str]:
    """Return those of `own` that can take the place of one of `sentences`."""
    return {key: said for key, said in own.items() if not _mistake(key, said, sentences)}


def _mistakes(own: Mapping[str, str], sentences: Mapping[str, str]) -> Iterator[str]:
    yield from filter(None, (_mistake(key, said, sentences) for key, said in own.items()))


def _mistake(key: str, said: str, sentences: Mapping[str, str]) -> str | None:
    if key not in sentences:
        kind = key.partition(".")[0]
        nearest_first = sorted(sentences, key=lambda each: each.partition(".")[0] != kind)
        return f"there is no sentence {quoted(key)}{did_you_mean(key, nearest_first, cutoff=0.75)}"
    wanted, given = _parameters(sentences[key]), _parameters(said)
    if given is None:
        return f"{quoted(key)}: a brace must be the beginning or the end of a {{parameter}}"
    if wanted != given:
        named = ", ".join(f"{{{each}}}" for each in sorted(wanted or ())) or "no parameters"
        return f"{quoted(key)} must have {named}, each at least once and nothing else"
    return None


def _parameters(sentence: str) -> frozenset[str] | None:
    """Return the parameters of `sentence`, None where braces say something else."""
    try:
        parts = [part[1:] for part in Formatter().parse(sentence) if part[1] is not None]
    except ValueError:
        return None
    plain = all(name and name.isidentifier() and not form and not way for name, form, way in parts)
    return frozenset(str(name) for name, *_ in parts) if plain else None
