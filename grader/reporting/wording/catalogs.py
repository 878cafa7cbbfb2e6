"""The catalogs: one per language, in the files `<language>.yaml` and `<language>.<part>.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

import yaml

LANGUAGES: Final = ("de", "en", "es", "fr", "nl")
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
