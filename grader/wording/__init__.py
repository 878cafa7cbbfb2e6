"""Puts messages in the language of whoever reads them.

One catalog per language, in the files `<language>.yaml` and `<language>.<part>.yaml` beside this
one: flat mappings from message keys to sentences with `{parameters}`. All languages have the same
keys with the same parameters.
A key that ends in `_one` is the singular of the key without it, chosen when `count` is 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

import yaml

from grader.messages import Message, Parameter, message

LANGUAGES: Final = ("en", "es", "nl")
"""Languages that there is a catalog for."""
DEFAULT_LANGUAGE: Final = "en"


@cache
def catalog(language: str) -> Mapping[str, str]:
    """Return the catalog of `language`, one of `LANGUAGES`."""
    sentences: dict[str, str] = {}
    for file in files(__package__).iterdir():
        if file.name.startswith(f"{language}.") and file.name.endswith(".yaml"):
            text = file.read_text(encoding="utf-8")
            sentences.update(yaml.load(text, Loader=yaml.CSafeLoader))
    return sentences


def say(what: Message, language: str) -> str:
    """Return `what` as a sentence in `language`; raises `KeyError` for an unknown key."""
    sentences = catalog(language if language in LANGUAGES else DEFAULT_LANGUAGE)
    parameters = dict(what.parameters)
    key = what.key
    if parameters.get("count") == 1 and f"{key}_one" in sentences:
        key = f"{key}_one"
    return sentences[key].format_map(parameters)


def phrase(language: str, key: str, /, **parameters: Parameter) -> str:
    """Return the sentence for `key` at once, for templates and other places that just show it."""
    return say(message(key, **parameters), language)
