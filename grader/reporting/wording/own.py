"""Sentences that a course says in words of its own.

A suite has them by the keys of the catalogs, in its own language, and a record takes them along: so
pages that are made again say the same. A sentence names the parameters of the one that it takes the
place of, all of them and nothing else; one that does not is refused when a suite is read. In a
record it is not believed either: then the sentence of the catalog stands.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from string import Formatter

from grader.errors import SuiteError
from grader.reporting.wording.catalogs import catalog
from grader.suite.diagnostics import did_you_mean, quoted
from grader.suite.model import Suite


def worded(suite: Suite, course: Mapping[str, str] | None = None) -> Suite:
    """Return `suite` with the sentences of its `course`, where it has none of its own for them.

    Raises `SuiteError` with all that is wrong with them. With sentences of a course it is another
    suite: what was graded and told before is graded and told again.
    """
    for whose, words in ((suite.exercise, suite.wording), ("the course", course or {})):
        if mistakes := list(_mistakes(words, catalog(suite.language))):
            raise SuiteError(
                f"`wording` of {whose}: " + "; ".join(mistakes),
                help=f"the sentences are in {files(__package__)}",
            )
    if not course:
        return suite
    said = json.dumps(sorted(course.items()))
    hashes = {
        name: hashlib.sha256(f"{getattr(suite, name)} {said}".encode()).hexdigest()
        for name in ("sha256", "asks")
    }
    return suite.changed(wording={**course, **suite.wording}, **hashes)


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
        if not wanted:
            return f"{quoted(key)} must have no parameters"
        named = ", ".join(f"{{{each}}}" for each in sorted(wanted))
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
