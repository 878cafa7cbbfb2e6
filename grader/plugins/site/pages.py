"""The pages of a site: one for each exercise, with what it loads beside it or in it."""

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
            *(
                "browser",
                "checking",
                "done",
                "line",
                "link",
                "lost",
                "nothing",
                "ready",
                "restarted",
            ),
            "trouble",
        )
    },
    **{name: f"watch_{name}" for name in ("broken", "mended")},
}
"""What the script of a page says, by the names that it has there."""
_SAID: Final = (
    *("about", "again", "anew", "check", "code", "files", "keys", "loading", "marks", "prompt"),
    *("result", "session", "typed"),
)
_SCRIPTS: Final = ("editor.js", "prompt.js", "page.js")


def exercise_page(
    suite: Suite, editor: bytes, parts: Mapping[str, bytes] | None = None, version: str = ""
) -> str:
    """Return the page that checks what is made for `suite`; `editor` is the script that it loads.

    What it loads is in it, if it is given the `parts`, by their names; else it lies beside it, in
    this `version`.
    """
    t = Locale.of(suite.language)
    style = looks("student.html")[0] + _ours("page.css")
    script = "\n".join(map(_ours, _SCRIPTS))
    words = {name: t(key, cases="{cases}", line="{line}") for name, key in _WORDS.items()}
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
        words=json.dumps(words).replace("<", "\\u003c"),
        parts="\n".join(_parts(parts)) if parts is not None else '<meta id="offline">',
    )


def absent_packages(suite: Suite) -> str:
    """Return the packages that `suite` needs and no browser has, nothing where it has all."""
    return ", ".join(packages_among(suite.imports))


def index_page(suites: Iterable[Suite], language: str) -> str:
    """Return the page that leads to those of all `suites`."""
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
    """Return what tells these `parts` of a site from others."""
    digests = (hashlib.sha256(parts[name]).digest() for name in sorted(parts))
    return hashlib.sha256(b"".join(digests)).hexdigest()[:16]


def offline_script(pages: Mapping[str, bytes], parts: Iterable[str], version: str) -> bytes:
    """Return the script that keeps these `pages` in the browser, and `parts` in their `version`."""
    name = f"grader-{version_of(pages)}-{version}"
    kept = ["./", *pages, *(f"{part}?{version}" for part in parts)]
    told = json.dumps({"prefix": "grader-", "name": name, "files": kept})
    return f"const KEPT = {told};\n{_ours('offline.js')}".encode()


def _said(t: Locale) -> dict[str, str]:
    return {name: escape(t(f"site_{name}")) for name in _SAID}


def packed(data: bytes) -> bytes:
    """Return `data` as pages load it: they unpack it themselves, whatever the server knows of."""
    return gzip.compress(data, 9, mtime=0)


def _parts(parts: Mapping[str, bytes]) -> Iterable[str]:
    for name, data in parts.items():
        text = base64.b64encode(packed(data)).decode("ascii")
        yield f'<script type="application/octet-stream" id="asset {escape(name)}">{text}</script>'


def _policy(style: str, script: str, editor: str, *, is_alone: bool) -> str:
    """Return what the page, its workers and the page that it shows may load and run.

    WebAssembly is compiled from what was loaded, and workers begin from there; code that is made of
    text runs nowhere, but for the one text of the `editor`. That writes its style as it goes, and
    names it: a page that never changes has no secret to name it by, and styles reach nothing. A
    page that is alone reaches no network at all.
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
