"""Turns a template into one self-contained page that can load nothing and run nothing.

The pages have no script at all; a content security policy keeps it so even if somebody's text
found a way into the markup. The only style that the policy allows is ours, by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from grader.display import shown_text
from grader.reporting.voice import Voice

MAX_FIELD_CHARS: Final = 20_000
"""No single expression of a template puts more than this on a page, whatever a record holds."""


def page(template: str, voice: Voice, /, **context: object) -> str:
    """Return the page that `template` makes of `context`, in the language of `voice`."""
    environment = _environment()
    stylesheet = template.replace(".html", ".css")
    return environment.get_template(template).render(
        context, t=voice, stylesheet=stylesheet, style_hash=_style_hash(stylesheet)
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("grader.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _style_hash(stylesheet: str) -> str:
    """Return the hash under which a policy allows the style, exactly as the page includes it."""
    style = _environment().get_template(stylesheet).render()
    digest = hashlib.sha256(style.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _finalized(value: object) -> object:
    """Return the value of an expression as the page may hold it; escaping comes after this.

    Markup is what a macro of ours returned; the expressions in it have been here already.
    """
    if isinstance(value, str) and not isinstance(value, Markup):
        return shown_text(value, MAX_FIELD_CHARS)
    return value
