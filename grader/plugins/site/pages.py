"""Makes the pages of a site: one per exercise, with its assets beside it or inside."""

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

from grader.plugins.site.assembling import judge_name
from grader.reporting.rendering import hashes, looks
from grader.reporting.wording import Locale
from grader.suite.model import Suite
from grader.suite.vocabulary import packages_among

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
"""Keys of sentences of the page's script, by their names there."""
_SAID: Final = (
    *("about", "again", "anew", "check", "code", "files", "keys", "loading", "marks", "prompt"),
    *("result", "session", "typed"),
)
_SCRIPTS: Final = ("editor.js", "prompt.js", "page.js")


def exercise_page(
    suite: Suite, editor: bytes, parts: Mapping[str, bytes] | None = None, version: str = ""
) -> str:
    """Return the page that checks hand-ins for `suite`, with the script of the `editor`.

    With `parts`, assets by name, these are inside the page; else they are beside it, in `version`.
    """
    t = Locale.of(suite.language)
    style = looks("student.html")[0] + _ours("page.css")
    script = "\n".join(map(_ours, _SCRIPTS))
    words = {name: t(key, cases="{cases}", line="{line}") for name, key in _WORDS.items()}
    # Not `format`, as scripts and styles are full of braces.
    return Template(_ours("page.html")).substitute(
        _said(t),
        language=suite.language,
        version=version,
        judge=escape(judge_name(suite)),
        policy=_policy(style, script, editor.decode(), is_alone=parts is not None),
        title=escape(suite.title),
        exercise=escape(suite.exercise),
        modules=escape(" ".join(f"{module}.py" for module in suite.modules)),
        style=style,
        script=script,
        # `</script>` in a sentence would end the script.
        words=json.dumps(words).replace("<", "\\u003c"),
        parts="\n".join(_parts(parts)) if parts is not None else '<meta id="offline">',
    )


def absent_packages(suite: Suite) -> str:
    """Return the packages of `suite` that a browser lacks, separated by commas."""
    return ", ".join(packages_among(suite.imports))


def index_page(suites: Iterable[Suite], language: str) -> str:
    """Return the page with links to those of all `suites`."""
    style = looks("student.html")[0] + _ours("page.css")
    t = Locale.of(language)
    lines = (_entry(suite, t) for suite in suites)
    return Template(_ours("index.html")).substitute(
        language=language,
        policy=f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; base-uri 'none'",
        style=style,
        title=escape(t("site_title")),
        about=escape(t("site_about")),
        entries="\n".join(lines),
    )


def _entry(suite: Suite, t: Locale) -> str:
    title = escape(suite.title)
    if packages := absent_packages(suite):
        return f"<li>{title}<br>{escape(t('site_no_packages', packages=packages))}</li>"
    return f'<li><a href="{escape(suite.exercise)}.html">{title}</a></li>'


def version_of(parts: Mapping[str, bytes]) -> str:
    """Return a version for these `parts`: a hash of their content."""
    digests = (hashlib.sha256(parts[name]).digest() for name in sorted(parts))
    return hashlib.sha256(b"".join(digests)).hexdigest()[:16]


def offline_script(pages: Mapping[str, bytes], parts: Iterable[str], version: str) -> bytes:
    """Return the service worker that caches `pages`, and `parts` in their `version`."""
    name = f"grader-{version_of(pages)}-{version}"
    kept = ["./", *pages, *(f"{part}?{version}" for part in parts)]
    cached = json.dumps({"prefix": "grader-", "name": name, "files": kept})
    return f"const KEPT = {cached};\n{_ours('offline.js')}".encode()


def _said(t: Locale) -> dict[str, str]:
    return {name: escape(t(f"site_{name}")) for name in _SAID}


def packed(data: bytes) -> bytes:
    """Return `data` compressed: pages unpack it themselves, so any server will do."""
    # Without a time, the same data gives the same bytes.
    return gzip.compress(data, 9, mtime=0)


def _parts(parts: Mapping[str, bytes]) -> Iterable[str]:
    for name, data in parts.items():
        text = base64.b64encode(packed(data)).decode("ascii")
        yield f'<script type="application/octet-stream" id="asset {escape(name)}">{text}</script>'


def _policy(style: str, script: str, editor: str, *, is_alone: bool) -> str:
    """Return the content security policy of the page, its workers and the report in it.

    WebAssembly and workers start from loaded assets. Scripts run only if their hash is allowed,
    the `editor` included. The editor adds styles at run time, with a fixed nonce: a static page
    cannot keep one secret, and styles can load nothing. A page that is alone has no network.
    """
    inner_style, inner_script = hashes("student.html")
    own = "'none'" if is_alone else "'self'"
    worker = "blob:" if is_alone else "blob: 'self'"
    return (
        f"default-src 'none'; connect-src {own}; img-src data:; worker-src {worker};"
        f" script-src 'wasm-unsafe-eval' '{_hash(script)}' '{_hash(editor)}' '{inner_script}';"
        f" style-src 'nonce-editor' '{_hash(style)}' '{inner_style}';"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _ours(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
