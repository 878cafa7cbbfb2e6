"""Turns a template into a page that can load nothing, and run nothing but our script.

A content security policy allows one style and one script: by their hashes if the page includes
them. If the pages of a folder share them, it does so by a nonce made from all that the page says,
which nobody whose text is on the page can know. So nobody's text runs, even if it found a way into
the markup. The files that a folder shares are written here too. The script is only a convenience:
it makes its own controls, and a page is complete without it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from grader.reporting.case_view import StepView
from grader.reporting.comparison import longest
from grader.reporting.picture_view import picture_views
from grader.reporting.wording import LANGUAGES, Locale, sign
from grader.reporting.writing import write_below
from grader.values.foreign_text import one_line, shown_text

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_FIELD_CHARS: Final = 20_000
"""The most that one expression of a template puts on a page, whatever a record holds."""

_SCRIPT: Final = "page.js"
_TOOLS: Final = "tools.html"
_OWN_SCRIPTS: Final = {"index.html": "index.js"}
"""Scripts of pages that do more; they extend the common one."""
_PAPER: Final = frozenset({"sheet.html"})
"""Pages made to be printed: there is nothing to click."""


class Other(NamedTuple):
    """The content of a page in another language."""

    language: str
    body: object
    """Markup."""


class _Shared(NamedTuple):
    """Where a page finds the style and the script that it shares with others."""

    style: str
    script: str


def page(
    template: str,
    locale: Locale,
    /,
    *,
    shared: _Shared | None = None,
    others: Sequence[Other] = (),
    **context: object,
) -> str:
    """Return the page that `template` makes of `context`, in the language of `locale`.

    It is self-contained except for what is `shared`. Readers can switch to one of the `others`.
    """
    return "".join(page_pieces(template, locale, shared=shared, others=others, **context))


def other(
    template: str, locale: Locale, /, *, shared: _Shared | None = None, **context: object
) -> Other:
    """Return what `template` makes of `context` in another language, to be added to a page."""
    made = _environment().get_template(template)
    body = made.make_module({**context, "t": locale, "shared": shared, "is_other": True})
    return Other(locale.language, body)


def page_pieces(
    template: str,
    locale: Locale,
    /,
    *,
    shared: _Shared | None = None,
    others: Sequence[Other] = (),
    **context: object,
) -> Iterator[str]:
    """Return the pieces of a page that is too large to be held twice."""
    environment = _environment()
    stylesheet = _stylesheet(template)
    script = None if template in _PAPER else _script(template)
    return environment.get_template(template).generate(
        context,
        t=locale,
        shared=shared,
        others=others,
        is_other=False,
        stylesheet=stylesheet,
        style_hash=_hash(stylesheet),
        script=script,
        script_hash="none" if script is None else _hash(script),
    )


@cache
def environment_with(package: str) -> Environment:
    """Return a renderer for the templates of `package`, which may build on those of all pages."""
    from jinja2 import ChoiceLoader, PackageLoader  # noqa: PLC0415 - as below

    ours = _environment()
    assert ours.loader is not None, "it is made with one"
    return ours.overlay(loader=ChoiceLoader([PackageLoader(package), ours.loader]))


def looks(template: str) -> tuple[str, str]:
    """Return the style and the script of the pages that `template` makes, for them to share.

    The script includes what it adds to a page, in each language.
    """
    words = json.dumps({language: _tools(Locale(language)) for language in LANGUAGES}, indent=0)
    first = (
        "const putTools = (language) =>"
        f" document.body.insertAdjacentHTML('beforeend', {words}[language]);"
    )
    return _included(_stylesheet(template)), f"{first}\n{_included(_script(template))}"


def hashes(template: str) -> tuple[str, str]:
    """Return the hashes of the style and the script included in pages that `template` makes.

    A page that embeds such a page has to allow them too.
    """
    return _hash(_stylesheet(template)), _hash(_script(template))


def _tools(locale: Locale) -> str:
    return _environment().get_template(_TOOLS).render(t=locale)


def _stylesheet(template: str) -> str:
    return template.replace(".html", ".css")


def _script(template: str) -> str:
    return _OWN_SCRIPTS.get(template, _SCRIPT)


def piece(macro: str, /, *arguments: object) -> str:
    """Return the markup of a macro in `macros.html`, to be measured and put on a page."""
    made = getattr(_environment().get_template("macros.html").module, macro)(*arguments)
    if not isinstance(made, Markup):
        raise TypeError(f"the macro {macro} must give markup, not {type(made).__name__}")
    return made


def _step_markup(step: StepView) -> str:
    return piece("step", step) if step.output else _silent_step_markup(step)


@lru_cache(maxsize=2_000)  # without output, nothing of a student is kept
def _silent_step_markup(step: StepView) -> str:
    return piece("step", step)


@cache
def _environment() -> Environment:
    from jinja2 import (  # noqa: PLC0415 - slow, and not needed if nothing is written
        Environment,
        PackageLoader,
        StrictUndefined,
    )

    environment = Environment(
        loader=PackageLoader("grader.reporting"),
        autoescape=True,
        auto_reload=False,  # hashes must stay those of what was read first
        undefined=StrictUndefined,  # a misspelled name is an error, not an empty text
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        longest=longest, picture_views=picture_views, sign=sign, step_markup=_step_markup
    )
    environment.filters.update(line=one_line, nonce=_nonce, relative=_relative)
    return environment


@cache
def _hash(included: str) -> str:
    """Return the hash by which a policy allows `included`, exactly as a page includes it."""
    return f"sha256-{_digest(_included(included))}"


def _included(name: str) -> str:
    return _environment().get_template(name).render()


def _nonce(said: str) -> str:
    """Return a nonce that no text in `said` can know, and that is the same for the same page."""
    return _digest(said)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _relative(address: str) -> str:
    """Return `address` as a relative one, whatever it was: no scheme, no host, no markup."""
    # Browsers read a backslash as a slash, and two slashes begin a host.
    return quote(address.lstrip("/\\"), safe="/", errors="replace")


def _finalized(value: object) -> object:
    """Return the value of an expression as a page may hold it; escaping comes after this.

    Markup was made by our own macros, whose expressions have passed here already.
    """
    if isinstance(value, str) and not isinstance(value, Markup):
        return shown_text(value, MAX_FIELD_CHARS)
    return value


# Style and script that the pages of a run share: two files, each named after its content.
#
# So pages of different versions can be in one folder, and each keeps the looks it was made for. A
# page that is handed out by itself includes its own style and script.


_DIGITS: Final = 12


def shared_looks() -> _Shared:
    """Return where a page finds these files from one folder below, as those of students do."""
    style, script = _files()
    return _Shared(f"../{style}", f"../{script}")


def write_looks(folder: Path) -> None:
    """Write those of the files to `folder` that are missing."""
    for name, data in _files().items():
        if not (folder / name).is_file():
            write_below(folder, name, data)


def mend_looks(folder: Path) -> Iterable[str]:
    """Write those of the files to `folder` that are missing or changed; return the names of all."""
    for name, data in _files().items():
        path = folder / name
        # A link counts as changed: what it leads to may still change.
        if path.is_symlink() or not path.is_file() or path.read_bytes() != data:
            write_below(folder, name, data)
    return _files()


@cache
def _files() -> Mapping[str, bytes]:
    style, script = (text.encode("utf-8") for text in looks("student.html"))
    return {_named(style, "css"): style, _named(script, "js"): script}


def _named(data: bytes, extension: str) -> str:
    return f"page-{hashlib.sha256(data).hexdigest()[:_DIGITS]}.{extension}"
