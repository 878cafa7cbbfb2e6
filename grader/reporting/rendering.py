"""Renders templates as pages that can load nothing, and run only our own script.

A content security policy allows one style sheet and one script. If the page includes them, they are
allowed by their hashes. If the pages in a folder share them, they are allowed by a nonce derived
from the whole page, which nobody whose text is on the page can know. So foreign text never runs,
even if it got into the markup. The shared files are also written here. The script is only a
convenience: it adds controls to the page, which is complete without them.
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

from grader.reporting.comparison import longest
from grader.reporting.picture_view import picture_views
from grader.reporting.session_view import StepView
from grader.reporting.wording import LANGUAGES, Locale, sign
from grader.reporting.writing import write_below
from grader.values.foreign_text import one_line, safe_text

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_FIELD_CHARS: Final = 20_000
"""The maximum length of one template expression on a page, whatever a record contains."""

_COMMON_SCRIPT: Final = "page.js"
_TOOLS_TEMPLATE: Final = "tools.html"
_SCRIPT_BY_TEMPLATE: Final = {"index.html": "index.js"}
"""Scripts of pages that can do more; they extend the common script."""
_PAPER_TEMPLATES: Final = frozenset({"sheet.html"})
"""Templates of pages that are meant for paper, and so need no script."""


class Translation(NamedTuple):
    """The content of a page in another language."""

    language: str
    body: object
    """The content as markup."""


class _SharedPaths(NamedTuple):
    """The paths of the style sheet and the script that a page shares with other pages."""

    style: str
    script: str


def page(
    template: str,
    locale: Locale,
    /,
    *,
    shared: _SharedPaths | None = None,
    others: Sequence[Translation] = (),
    **context: object,
) -> str:
    """Render `template` with `context` as a page in the language of `locale`.

    The page is self-contained except for the `shared` files. The `others` have its content in other
    languages, to which readers can switch.
    """
    return "".join(page_pieces(template, locale, shared=shared, others=others, **context))


def render_translation(
    template: str, locale: Locale, /, *, shared: _SharedPaths | None = None, **context: object
) -> Translation:
    """Render the content of a page in another language, to be passed to `page`."""
    compiled = _environment().get_template(template)
    body = compiled.make_module({**context, "t": locale, "shared": shared, "is_other": True})
    return Translation(locale.language, body)


def page_pieces(
    template: str,
    locale: Locale,
    /,
    *,
    shared: _SharedPaths | None = None,
    others: Sequence[Translation] = (),
    **context: object,
) -> Iterator[str]:
    """Render a page as `page` does, but yield it in pieces.

    So a large page is not in memory twice.
    """
    environment = _environment()
    stylesheet = _stylesheet(template)
    script = None if template in _PAPER_TEMPLATES else _script(template)
    return environment.get_template(template).generate(
        context,
        t=locale,
        shared=shared,
        others=others,
        is_other=False,
        stylesheet=stylesheet,
        style_hash=_hash(stylesheet),
        script=script,
        # 'none' is the keyword with which a policy forbids all scripts.
        script_hash="none" if script is None else _hash(script),
    )


@cache
def template_environment(package: str) -> Environment:
    """Return a Jinja environment for the templates of `package`, which can extend our templates."""
    from jinja2 import ChoiceLoader, PackageLoader  # noqa: PLC0415 - see `_environment`

    base = _environment()
    assert base.loader is not None, "the environment is created with a loader"
    return base.overlay(loader=ChoiceLoader([PackageLoader(package), base.loader]))


def style_and_script(template: str) -> tuple[str, str]:
    """Return the style sheet and the script that pages made from `template` can share.

    The script contains the controls that it adds to a page, in each language.
    """
    controls = json.dumps({language: _tools(Locale(language)) for language in LANGUAGES}, indent=0)
    definition = (
        "const putTools = (language) =>"
        f" document.body.insertAdjacentHTML('beforeend', {controls}[language]);"
    )
    return _content(_stylesheet(template)), f"{definition}\n{_content(_script(template))}"


def style_and_script_hashes(template: str) -> tuple[str, str]:
    """Return the hashes of the style sheet and the script in pages made from `template`.

    A page that embeds such a page also has to allow these hashes.
    """
    return _hash(_stylesheet(template)), _hash(_script(template))


def _tools(locale: Locale) -> str:
    return _environment().get_template(_TOOLS_TEMPLATE).render(t=locale)


def _stylesheet(template: str) -> str:
    return template.replace(".html", ".css")


def _script(template: str) -> str:
    return _SCRIPT_BY_TEMPLATE.get(template, _COMMON_SCRIPT)


def render_macro(macro: str, /, *arguments: object) -> str:
    """Return the markup that `macro` in `macros.html` makes from `arguments`.

    It can be measured, and put on a page. Raises `TypeError` if the macro does not return markup.
    """
    markup = getattr(_environment().get_template("macros.html").module, macro)(*arguments)
    if not isinstance(markup, Markup):
        raise TypeError(
            f"the macro {macro} in macros.html must return markup, not {type(markup).__name__}"
        )
    return markup


def _step_markup(step: StepView) -> str:
    return render_macro("step", step) if step.output else _silent_step_markup(step)


@lru_cache(maxsize=2_000)  # without output, no text of a student is cached
def _silent_step_markup(step: StepView) -> str:
    return render_macro("step", step)


@cache
def _environment() -> Environment:
    """Return the Jinja environment for the templates of this package."""
    from jinja2 import (  # noqa: PLC0415 - slow to import, and not needed if nothing is written
        Environment,
        PackageLoader,
        StrictUndefined,
    )

    environment = Environment(
        loader=PackageLoader("grader.reporting"),
        autoescape=True,
        auto_reload=False,  # cached hashes must keep matching the files
        undefined=StrictUndefined,  # a misspelled name raises, instead of becoming an empty text
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        longest=longest, picture_views=picture_views, sign=sign, step_markup=_step_markup
    )
    environment.filters.update(line=one_line, nonce=_nonce, relative=_relative)
    return environment


@cache
def _hash(file_name: str) -> str:
    """Return the hash with which the policy allows the content of `file_name` in a page."""
    return f"sha256-{_digest(_content(file_name))}"


def _content(name: str) -> str:
    return _environment().get_template(name).render()


def _nonce(content: str) -> str:
    """Return a nonce that no text in `content` can contain; equal pages have equal nonces."""
    return _digest(content)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _relative(address: str) -> str:
    """Return `address` as a relative URL, without scheme, host or markup."""
    # Browsers treat a backslash as a slash, and two leading slashes would start a host.
    return quote(address.lstrip("/\\"), safe="/", errors="replace")


def _finalize(value: object) -> object:
    """Return the value of a template expression, made safe to show and limited in length.

    Jinja escapes the result afterwards. Markup is left unchanged: it comes from our own macros,
    whose expressions have already been passed to this function.
    """
    if isinstance(value, str) and not isinstance(value, Markup):
        return safe_text(value, MAX_FIELD_CHARS)
    return value


# The pages of a run share a style sheet and a script, each named after its content.
#
# So pages made by different versions can be in one folder, and each keeps the style that it was
# made for. A page that is handed out by itself includes its style sheet and script.


_HASH_DIGITS: Final = 12


def shared_file_paths() -> _SharedPaths:
    """Return the paths of the shared files, relative to a student's page in a subfolder."""
    style, script = _shared_files()
    return _SharedPaths(f"../{style}", f"../{script}")


def write_shared_files(folder: Path) -> None:
    """Write the shared files that are missing in `folder`; raise `OutputError` if that fails."""
    # Names contain the hash of the content, so a file with the right name need not be read.
    for name, data in _shared_files().items():
        if not (folder / name).is_file():
            write_below(folder, name, data)


def restore_shared_files(folder: Path) -> Iterable[str]:
    """Write the shared files that are missing or changed in `folder`, and return all their names.

    Raises `OutputError` if a file cannot be written.
    """
    for name, data in _shared_files().items():
        if not _is_intact(folder / name, data):
            write_below(folder, name, data)
    return _shared_files()


def _is_intact(path: Path, data: bytes) -> bool:
    """Return whether `path` is a file with `data`, and can be read.

    A symbolic link is not intact, because its target might change later.
    """
    try:
        return not path.is_symlink() and path.is_file() and path.read_bytes() == data
    except OSError:  # writing replaces a file that cannot be read
        return False


@cache
def _shared_files() -> Mapping[str, bytes]:
    style, script = (text.encode("utf-8") for text in style_and_script("student.html"))
    return {_file_name(style, "css"): style, _file_name(script, "js"): script}


def _file_name(data: bytes, extension: str) -> str:
    return f"page-{hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]}.{extension}"
