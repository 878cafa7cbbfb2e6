"""The catalogs: what there is to say about a subject, in all languages, in `<subject>.yaml`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

DEFAULT_LANGUAGE: Final = "en"


@cache
def catalog(language: str) -> Mapping[str, str]:
    """Return the sentences in `language`, by their keys.

    To parse all languages as YAML would cost each command 50 ms. So a sentence stands on a line of
    its own, quoted as in JSON, and only those of one language are looked at.
    """
    sentence = re.compile(rf"^(\S+):\n(?:  .*\n)*?  {language}: (.*)$", re.MULTILINE)
    folder = files(__package__).iterdir()
    texts = [each.read_text(encoding="utf-8") for each in folder if each.name.endswith(".yaml")]
    return {key: json.loads(said) for text in texts for key, said in sentence.findall(text)}
