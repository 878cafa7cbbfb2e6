"""The editor of a page: the modules of CodeMirror from npm packages, bundled into one script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from grader.plugins.site.npm import NpmPackage

_LICENCE: Final = "LICENSE"


def _package(
    name: str, version: str, file: str, digest: str, licence_digest: str = ""
) -> NpmPackage:
    """Return the package with the digests of its `file` and, if given, of its licence."""
    digests = {file: digest, **({_LICENCE: licence_digest} if licence_digest else {})}
    return NpmPackage(name=name, version=version, digests=digests)


_INDEX: Final = "dist/index.js"
PACKAGES: Final = (
    _package(
        "@marijn/find-cluster-break",
        "1.0.4",
        "src/index.js",
        "4e9e441fac9db54e09e4e3b1cb0b0393da207ebe943f2ff9efc577821fc03751",
    ),
    _package(
        "@codemirror/state",
        "6.7.6",
        _INDEX,
        "cf4ffe7d177bf2c7c5da66c49be0811cc79a29e12cb658238876bbdcef12939c",
        licence_digest="05c6130cda97e7600ca91427a41e8a065efcf82365fc0293e7de80faec494c07",
    ),
    _package(
        "style-mod",
        "4.1.5",
        "src/style-mod.js",
        "9ef4f1f242d438a2bb9ba8b7d580cc4aa7ea00734223468fcedecacbd961aa3b",
    ),
    _package(
        "w3c-keyname",
        "2.2.8",
        "index.js",
        "b649dec4f01c7c5eb05be4641b5b698c6938231ee50b38e17a2f0f822ca3df2e",
    ),
    _package(
        "crelt",
        "1.0.7",
        "index.js",
        "924800defa2bf95a0bfd16dde589ecebbcd9e36b03635274da84968c77a3721e",
    ),
    _package(
        "@codemirror/view",
        "6.43.15",
        _INDEX,
        "e1ee658a4f903317aa6a573b993b78c5552307cba4c4b838335e9ef079d82451",
    ),
    _package(
        "@lezer/common",
        "1.5.5",
        _INDEX,
        "5afcf283f7ab19b5c1ffaf60efb4984d694c0b62077c8f8897545a98d01ef571",
    ),
    _package(
        "@lezer/highlight",
        "1.2.5",
        _INDEX,
        "8984bb2887a6354d3e5ac79bdd7e522948f1cee1dda16aac77d9473f10696d7c",
    ),
    _package(
        "@lezer/lr",
        "1.4.12",
        _INDEX,
        "3c649203d840e7175277239ef43baa3c98aec6c183a770e7d3867006927a3238",
    ),
    _package(
        "@lezer/python",
        "1.1.19",
        _INDEX,
        "47135244f8db0253e8cc7c01115f6cb86049a094936209091e6ca32c01258224",
    ),
    _package(
        "@codemirror/streamparser",
        "6.0.0",
        _INDEX,
        "03b1109bc091c1f70e34abbd6161cd1675280a10ac5d26fffdede446076e4bb6",
    ),
    _package(
        "@codemirror/language",
        "6.13.1",
        _INDEX,
        "3ee82597686d97904b1c0df409661c2e6386e206b9122ac309622e225a0075ff",
    ),
    _package(
        "@codemirror/autocomplete",  # imported by lang-python
        "6.20.4",
        _INDEX,
        "0bc143dbdc725b9cd2a550a552b4f3a8cfd057948b274eee9f0689b3eb9ad798",
    ),
    _package(
        "@codemirror/lang-python",
        "6.2.1",
        _INDEX,
        "c60274624c703cb07b471a2de503b319b222b87e140445c09ce57415130b5eca",
    ),
    _package(
        "@codemirror/commands",
        "6.11.1",
        _INDEX,
        "395c41fb17d4966162e8d29106e438278123bc3a3fa1b11825debdf1523594a4",
    ),
    _package(
        "@codemirror/lint",
        "6.9.8",
        _INDEX,
        "93c2a30861db4ea35d63a9621b1b6da204a9f7ae9b8792196c72c4480e6539b2",
    ),
)
"""The packages, each after those that it imports. All have the same author and licence, so one copy
of the licence is enough."""

_IMPORT: Final = re.compile(r"^import (?:\{ (.+) \}|(\w+)) from '([^']+)';$", re.MULTILINE)
_EXPORTS: Final = re.compile(r"^export \{ (.+) \}(?: from '[^']+')?;$", re.MULTILINE)
_EXPORTED: Final = re.compile(
    r"^export (default )?((?:async )?(?:function|class|var|let|const) (\w+))", re.MULTILINE
)
_UNHANDLED: Final = re.compile(r"^(import|export)\b.*", re.MULTILINE)


def editor_script() -> bytes:
    """Return the script that defines `CodeMirror`, with the licence at its top.

    Raises `HostError` if a package is not in the cache.
    """
    modules, licences = dict[str, str](), list[str]()
    for package in PACKAGES:
        texts = {name: data.decode("utf-8") for name, data in package.files().items()}
        licences.append(texts.pop(_LICENCE, ""))
        (modules[package.name],) = texts.values()
    specs = "\n".join(package.spec for package in PACKAGES)
    return f"/*\n{specs}\n\n{''.join(licences)}*/\n{bundle_modules(modules)}".encode()


def bundle_modules(modules: Mapping[str, str]) -> str:
    """Return one script that defines `CodeMirror`, an object with all exports of `modules`.

    A page that is opened from disk cannot import modules, and a security policy with hashes does
    not allow it either. Each module must come after its imports, and each import and export must be
    on one line. The pinned files are known to satisfy this.
    """
    parts = (_wrap_module(name, text) for name, text in modules.items())
    return "\n".join(
        (
            "const CodeMirror = (() => {",
            # Modules are always strict, but scripts are not.
            '"use strict";',
            "const modules = {};",
            *parts,
            "return Object.assign({}, ...Object.values(modules));",
            "})();\n",
        )
    )


def _wrap_module(name: str, text: str) -> str:
    """Return the module as a function that is called immediately and returns its exports."""
    exported_names = {
        name: "default" if default else name for default, _, name in _EXPORTED.findall(text)
    }
    for names in _EXPORTS.findall(text):
        exported_names.update(_aliases(names))
    body = _EXPORTED.sub(r"\2", _EXPORTS.sub("", _IMPORT.sub(_import_to_constant, text)))
    assert not _UNHANDLED.search(body), f"{name} has an import or export in an unknown notation"
    exports = _object_literal(
        (exported_name, local_name) for local_name, exported_name in exported_names.items()
    )
    return f'modules["{name}"] = (() => {{\n{body}\nreturn {exports};\n}})();'


def _import_to_constant(match: re.Match[str]) -> str:
    """Return the `const` statement that replaces the matched import."""
    names, default_name, module_name = match.groups()
    aliases = _aliases(names) if names else [("default", default_name)]
    return f'const {_object_literal(aliases)} = modules["{module_name}"];'


def _aliases(names: str) -> Iterable[tuple[str, str]]:
    """Yield each of `names` with its alias, or twice: `a as b, c` gives `(a, b)` and `(c, c)`."""
    for item in names.split(", "):
        name, _, alias = item.partition(" as ")
        yield name, alias or name


def _object_literal(pairs: Iterable[tuple[str, str]]) -> str:
    return f"{{ {', '.join(f'{key}: {name}' for key, name in pairs)} }}"
