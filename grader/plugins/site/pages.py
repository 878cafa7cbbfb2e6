"""Renders the pages of a site: one per exercise, with its assets beside or inside it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from string import Template
from typing import Final

from grader.plugins.site.assembling import judge_archive_name
from grader.reporting.rendering import style_and_script, style_and_script_hashes
from grader.reporting.wording import Locale
from grader.suite.model import Suite
from grader.suite.vocabulary import optional_packages

_WORDS: Final = {
    **{
        name: f"site_{name}"
        for name in (
            *("browser", "checking", "done", "line", "link", "lost", "nothing", "ready"),
            *("restarted", "trouble"),
        )
    },
    **{name: f"watch_{name}" for name in ("broken", "mended")},
}
"""The keys of sentences that the page's script uses, keyed by their names in the script."""
_PAGE_SENTENCES: Final = (
    *("about", "again", "anew", "check", "code", "files", "keys", "loading", "marks", "prompt"),
    *("result", "session", "typed"),
)
_SCRIPTS: Final = ("editor.js", "prompt.js", "page.js")


def exercise_page(
    suite: Suite, editor: bytes, parts: Mapping[str, bytes] | None = None, version: str = ""
) -> str:
    """Return the page that checks hand-ins for `suite`; `editor` is the script of the editor.

    If `parts` is given, the page contains these assets, keyed by name. Otherwise it loads the
    assets from its own folder, under addresses with `version`, so that no old copy is used.
    """
    t = Locale.for_language(suite.language)
    style = style_and_script("student.html")[0] + _resource("page.css")
    script = "\n".join(map(_resource, _SCRIPTS))
    words = {name: t(key, cases="{cases}", line="{line}") for name, key in _WORDS.items()}
    # `Template` is used because scripts and styles are full of braces.
    return Template(_resource("page.html")).substitute(
        _page_sentences(t),
        language=suite.language,
        version=version,
        judge=escape(judge_archive_name(suite)),
        policy=_policy(style, script, editor.decode(), is_alone=parts is not None),
        title=escape(suite.title),
        exercise=escape(suite.exercise),
        modules=escape(" ".join(f"{module}.py" for module in suite.modules)),
        style=style,
        script=script,
        # `</script>` in a sentence would end the script.
        words=json.dumps(words).replace("<", "\\u003c"),
        parts="\n".join(_embedded_assets(parts)) if parts is not None else '<meta id="offline">',
    )


def absent_packages(suite: Suite) -> str:
    """Return the packages that `suite` needs and browsers lack, separated by commas, or ""."""
    return ", ".join(optional_packages(suite.imports))


def index_page(suites: Iterable[Suite], language: str) -> str:
    """Return the index page, which links to the pages of all `suites`."""
    style = style_and_script("student.html")[0] + _resource("page.css")
    t = Locale.for_language(language)
    entries = (_index_entry(suite, t) for suite in suites)
    return Template(_resource("index.html")).substitute(
        language=language,
        policy=f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; base-uri 'none'",
        style=style,
        title=escape(t("site_title")),
        about=escape(t("site_about")),
        entries="\n".join(entries),
    )


def _index_entry(suite: Suite, t: Locale) -> str:
    """Return the list item for `suite`, with a link unless browsers lack its packages."""
    title = escape(suite.title)
    if packages := absent_packages(suite):
        return f"<li>{title}<br>{escape(t('site_no_packages', packages=packages))}</li>"
    return f'<li><a href="{escape(suite.exercise)}.html">{title}</a></li>'


def version_of(parts: Mapping[str, bytes]) -> str:
    """Return a version for `parts`, which is a hash of their contents."""
    digests = (hashlib.sha256(parts[name]).digest() for name in sorted(parts))
    return hashlib.sha256(b"".join(digests)).hexdigest()[:16]


def offline_script(pages: Mapping[str, bytes], parts: Iterable[str], version: str) -> bytes:
    """Return the script of the service worker, which caches `pages` and `parts`.

    Pages request the parts with this `version`.
    """
    # A change gives the cache another name, so the worker fetches everything again.
    name = f"grader-{version_of(pages)}-{version}"
    urls = ["./", *pages, *(f"{part}?{version}" for part in parts)]
    cache_settings = json.dumps({"prefix": "grader-", "name": name, "files": urls})
    return f"const KEPT = {cache_settings};\n{_resource('offline.js')}".encode()


def _page_sentences(t: Locale) -> dict[str, str]:
    return {name: escape(t(f"site_{name}")) for name in _PAGE_SENTENCES}


def compress(data: bytes) -> bytes:
    """Return `data` compressed with gzip.

    Pages decompress it themselves, so that the server needs no settings.
    """
    # Without a timestamp, the same data gives the same bytes.
    return gzip.compress(data, 9, mtime=0)


def _embedded_assets(parts: Mapping[str, bytes]) -> Iterable[str]:
    """Yield the HTML element for each of `parts`, with its compressed data."""
    for name, data in parts.items():
        text = base64.b64encode(compress(data)).decode("ascii")
        yield f'<script type="application/octet-stream" id="asset {escape(name)}">{text}</script>'


def _policy(style: str, script: str, editor: str, *, is_alone: bool) -> str:
    """Return the content security policy of the page, its workers and the report in it.

    WebAssembly and workers start from loaded assets. Scripts, including the `editor`, run only if
    their hash is allowed. The editor adds styles at run time. Their nonce is fixed, as a static
    page cannot keep it secret, and styles cannot load anything. If `is_alone`, the page has no
    network access.
    """
    inner_style, inner_script = style_and_script_hashes("student.html")
    sources = "'none'" if is_alone else "'self'"
    worker = "blob:" if is_alone else "blob: 'self'"
    return (
        f"default-src 'none'; connect-src {sources}; img-src data:; worker-src {worker};"
        f" script-src 'wasm-unsafe-eval' '{_hash(script)}' '{_hash(editor)}' '{inner_script}';"
        f" style-src 'nonce-editor' '{_hash(style)}' '{inner_style}';"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _resource(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
