"""Turns a template into a page that can load nothing, and run only our own script.

A content security policy allows one style and one script: by their hashes if the page includes
them. If the pages of a folder share them, it allows them by a nonce made from everything on the
page, which nobody whose text is on the page can know. So such text never runs, even if it got into
the markup. The shared files are written here too. The script is only a convenience: it adds its
controls to the page, which is complete without them.
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
"""The maximum that one expression of a template puts on a page, whatever a record holds."""

_SCRIPT: Final = "page.js"
_TOOLS: Final = "tools.html"
_OWN_SCRIPTS: Final = {"index.html": "index.js"}
"""Scripts of pages that do more; they extend the common one."""
_PRINTED: Final = frozenset({"sheet.html"})
"""Pages for printing, on which there is nothing to click."""


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
    """Return the page made from `template` and `context`, in the language of `locale`.

    It is self-contained except for the `shared` files. Readers can switch to one of the `others`.
    """
    return "".join(page_pieces(template, locale, shared=shared, others=others, **context))


def other(
    template: str, locale: Locale, /, *, shared: _Shared | None = None, **context: object
) -> Other:
    """Return the content of a page in another language, to be added to that page."""
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
    """Return a page in pieces, for one that is too large to be in memory twice."""
    environment = _environment()
    stylesheet = _stylesheet(template)
    script = None if template in _PRINTED else _script(template)
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
    """Return the style and the script that pages made from `template` can share.

    The script includes the controls that it adds to a page, in each language.
    """
    words = json.dumps({language: _tools(Locale(language)) for language in LANGUAGES}, indent=0)
    first = (
        "const putTools = (language) =>"
        f" document.body.insertAdjacentHTML('beforeend', {words}[language]);"
    )
    return _content(_stylesheet(template)), f"{first}\n{_content(_script(template))}"


def hashes(template: str) -> tuple[str, str]:
    """Return the hashes of the style and the script included in pages made from `template`.

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


@lru_cache(maxsize=2_000)  # without output, nothing of a student is cached
def _silent_step_markup(step: StepView) -> str:
    return piece("step", step)


@cache
def _environment() -> Environment:
    """Return the renderer for the templates of this package."""
    from jinja2 import (  # noqa: PLC0415 - slow, and not needed if nothing is written
        Environment,
        PackageLoader,
        StrictUndefined,
    )

    environment = Environment(
        loader=PackageLoader("grader.reporting"),
        autoescape=True,
        auto_reload=False,  # hashes must match the files that were read first
        undefined=StrictUndefined,  # a misspelled name is an error, not an empty text
        finalize=_shown_value,
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
    """Return the hash by which a policy allows the file `included` in a page."""
    return f"sha256-{_digest(_content(included))}"


def _content(name: str) -> str:
    return _environment().get_template(name).render()


def _nonce(content: str) -> str:
    """Return a nonce that no text in `content` can know, and that is the same for the same page."""
    return _digest(content)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _relative(address: str) -> str:
    """Return `address` as a relative one: without scheme, host or markup."""
    # Browsers read a backslash as a slash, and two slashes start a host.
    return quote(address.lstrip("/\\"), safe="/", errors="replace")


def _shown_value(value: object) -> object:
    """Return the value of an expression, made safe to show and cut; it is escaped after this.

    Markup was made by our own macros, whose expressions were passed to this function already.
    """
    if isinstance(value, str) and not isinstance(value, Markup):
        return shown_text(value, MAX_FIELD_CHARS)
    return value


# Style and script that the pages of a run share: two files, each named after its content.
#
# So pages of different versions can be in one folder, and each keeps the style it was made for. A
# page that is handed out by itself includes its own style and script.


_DIGITS: Final = 12


def shared_looks() -> _Shared:
    """Return the paths of these files, relative to the pages of students, one folder below."""
    style, script = _shared_files()
    return _Shared(f"../{style}", f"../{script}")


def write_looks(folder: Path) -> None:
    """Write the files that are missing in `folder`."""
    for name, data in _shared_files().items():
        if not (folder / name).is_file():
            write_below(folder, name, data)


def mend_looks(folder: Path) -> Iterable[str]:
    """Write the files that are missing or changed in `folder`; return the names of all files."""
    for name, data in _shared_files().items():
        path = folder / name
        # A link counts as changed: its target may still change.
        if path.is_symlink() or not path.is_file() or path.read_bytes() != data:
            write_below(folder, name, data)
    return _shared_files()


@cache
def _shared_files() -> Mapping[str, bytes]:
    style, script = (text.encode("utf-8") for text in looks("student.html"))
    return {_file_name(style, "css"): style, _file_name(script, "js"): script}


def _file_name(data: bytes, extension: str) -> str:
    return f"page-{hashlib.sha256(data).hexdigest()[:_DIGITS]}.{extension}"
