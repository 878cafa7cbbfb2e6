"""Loads suites from files, or from the cache of parsed suites.

A hidden suite is in the same folder as the public one, such as `yinyang.hidden.yaml` next to
`yinyang.yaml`. It is checked against the public suite, which must be valid first.

Parsing and checking a suite takes most of a second. A valid suite is cached, and reused while
everything it depends on is unchanged: its text, the files that it names, the code of the grader and
the interpreter. See `grader.suite.cache`.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from grader.errors import SuiteError
from grader.suite.cache import load_cached, store_cached
from grader.suite.clauses import read_spec
from grader.suite.code import code_text
from grader.suite.diagnostics import MAX_BYTES, Refusal
from grader.suite.model import Suite
from grader.suite.rules import Kinds
from grader.values.foreign_text import one_line

HIDDEN_MARK: Final = ".hidden"
"""The end of a hidden suite's file name before `.yaml`."""
DEFAULT_SPEC_NAME: Final = "spec.md"
"""The default name of the spec's file, in the folder of the suite."""
_CODE_FOLDERS: Final = ("", "judging", "judging/rules", "sandbox", "suite", "values")
"""The folders of this package whose code determines what a parsed suite contains."""
_SETTLING_S: Final = 2.0
"""How long a file must be unchanged before its modification time reliably shows later changes."""
_Texts: TypeAlias = Sequence[bytes]


def is_hidden_suite(path: Path) -> bool:
    """Return whether `path` has the name of a hidden suite."""
    return path.stem.endswith(HIDDEN_MARK)


def hidden_suite_path(path: Path) -> Path:
    """Return the path of the hidden suite for the suite at `path`; it need not exist."""
    return path.with_name(f"{path.stem}{HIDDEN_MARK}{path.suffix}")


def stray_hidden_suites(folder: Path) -> list[str]:
    """Return the names of hidden suites in `folder` that have no public suite.

    Nothing loads them. Case is ignored, because `Counter.Hidden.yaml` is also meant as a hidden
    suite.
    """
    endings = (f"{HIDDEN_MARK}.yaml", f"{HIDDEN_MARK}.yml")
    paths = {path.name: path for path in folder.glob("*")}
    expected = {
        hidden_suite_path(path).name for path in paths.values() if not is_hidden_suite(path)
    }
    return sorted(name for name in paths if name.lower().endswith(endings) and name not in expected)


def load_suite(path: Path, kinds: Kinds) -> Suite:
    """Return the suite in the file at `path`, without any hidden part next to it.

    Its rules can be of `kinds`. Raises `InvalidSuite` with all mistakes in the suite, and
    `SuiteError` if the file is missing, unreadable or a hidden suite.
    """
    return _load([_public_text(path)], path, kinds)


def load_whole_suite(path: Path, kinds: Kinds) -> Suite:
    """Return the suite in the file at `path`, with the hidden part if there is one next to it.

    Raises `InvalidSuite` with all mistakes in one of the two files, and `SuiteError` if the file at
    `path` is missing, unreadable or a hidden suite, or if a hidden part exists but cannot be read.
    """
    public, hidden_path = _public_text(path), hidden_suite_path(path)
    # `lexists`, as a dangling link is an unreadable hidden suite and not a missing one.
    if not os.path.lexists(hidden_path):
        return _load([public], path, kinds)
    try:
        hidden = read_suite(hidden_path)
    except SuiteError:
        # Mistakes in the public suite are raised first.
        _load([public], path, kinds)
        raise
    return _load([public, hidden], path, kinds)


def _public_text(path: Path) -> bytes:
    """Return the bytes of the suite at `path`.

    Raises `SuiteError` if it cannot be read or is a hidden suite.
    """
    if is_hidden_suite(path):
        name = path.name.replace(f"{HIDDEN_MARK}.", ".")
        message = f"{one_line(str(path))} is only the hidden part of a suite"
        raise SuiteError(message, help=f"give the path of the public suite, {one_line(name)}")
    return read_suite(path)


def read_suite(path: Path) -> bytes:
    """Return the bytes of the suite at `path`; raises `SuiteError` if it cannot be read."""
    try:
        with path.open("rb") as file:
            # One byte more than allowed is enough to notice that the file is too large.
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot read the suite {one_line(str(path))}: {one_line(reason)}"
        raise SuiteError(message, help="give the path of the YAML file of a suite") from error


def required_names(path: Path) -> Mapping[str, list[str]]:
    """Return the names that the suite at `path` requires, keyed as by `read_required_names`.

    They come from the cache if possible, and are cached otherwise. The result is empty if the suite
    cannot be read, or if the keys are not found in it.
    """
    try:
        text = read_suite(path)
    except SuiteError:
        return {}
    cache_name = _cache_name("names", [text])
    names: Mapping[str, list[str]] = load_cached(cache_name) or {}
    if not names:
        from grader.suite import loading  # noqa: PLC0415 - as for `_load`

        if names := loading.read_required_names(text):
            store_cached(cache_name, names)
    return names


# Cached suites


@dataclass(frozen=True, slots=True, kw_only=True)
class _CachedSuite:
    """A parsed suite, with hashes of the other files that it depends on."""

    suite: Suite
    code: Mapping[str, str]
    """Hashes of the code files that the suite names, keyed by file name."""
    spec: str | None
    """Hash of the spec file that its clauses quote, or None if they quote none."""

    def is_current(self, folder: Path) -> bool:
        """Return whether the files that the suite depends on are unchanged in `folder`."""
        try:
            # Not `read_code`, which also compiles: the code was checked before it was cached.
            is_same = all(
                _text_hash(code_text(folder, file)) == old_hash
                for file, old_hash in self.code.items()
            )
            return is_same and (self.spec is None or self.spec == _spec_hash(self.suite, folder))
        # A file that has become unreadable or invalid counts as changed: parsing reports why.
        except (OSError, ValueError, Refusal):
            return False


def _load(texts: _Texts, path: Path, kinds: Kinds) -> Suite:
    """Return the suite at `path` from the cache, or parse it from `texts` and cache it.

    `texts` are the contents of the public suite and, if there is one, of the hidden suite. Raises
    `InvalidSuite` if either has mistakes.
    """
    cache_name = _cache_name("suite", texts, kinds)
    cached = load_cached(cache_name)
    if isinstance(cached, _CachedSuite) and cached.is_current(path.parent):
        return cached.suite
    from grader.suite import loading  # noqa: PLC0415 - most suites come from the cache

    # The time is taken first, as a spec that changes during parsing must count as unsettled.
    start_s = time.time()
    suite, code = loading.parse_suites(texts, path, kinds)
    if _is_spec_settled(suite, path.parent, start_s):
        hashes = {file: _text_hash(text) for file, text in code.items()}
        spec = _spec_hash(suite, path.parent) if _quotes_spec_file(suite) else None
        store_cached(cache_name, _CachedSuite(suite=suite, code=hashes, spec=spec))
    return suite


def _quotes_spec_file(suite: Suite) -> bool:
    """Return whether clauses of `suite` quote a spec that is not packed in the suite."""
    is_packed = (suite.spec or DEFAULT_SPEC_NAME) in suite.packed
    return not is_packed and any(clause.quote is not None for clause in suite.clauses)


def _is_spec_settled(suite: Suite, folder: Path, start_s: float) -> bool:
    """Return whether the spec of `suite` cannot have changed since `start_s`.

    Return True if no clause quotes a spec file, and False if the file cannot be examined.
    """
    if not _quotes_spec_file(suite):
        return True
    try:
        return os.stat(folder / (suite.spec or DEFAULT_SPEC_NAME)).st_mtime < start_s - _SETTLING_S
    except OSError:
        return False


def _spec_hash(suite: Suite, folder: Path) -> str:
    return _text_hash(read_spec(folder / (suite.spec or DEFAULT_SPEC_NAME)))


def _text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _cache_name(kind: str, texts: _Texts, kinds: Kinds = ()) -> str:
    """Return the name of a cache entry of this `kind` for `texts`, with rules of `kinds`."""
    # `ascii` escapes lone surrogates, which paths can contain but UTF-8 cannot encode.
    sha256 = hashlib.sha256(ascii((kinds, _code_version())).encode("ascii"))
    for text in texts:
        # Hashed one by one, as text moved from the public to the hidden file must change the name.
        sha256.update(hashlib.sha256(text).digest())
    return f"{kind}-{sha256.hexdigest()}"


@cache
def _code_version() -> tuple[object, ...]:
    """Return the versions of what cached suites depend on besides their own files.

    That is the interpreter, and the grader's code files. The version of a code file is its
    modification time and size, which Python itself uses to detect stale bytecode.
    """
    package = Path(__file__).parents[1]
    code = []
    for folder in _CODE_FOLDERS:
        with os.scandir(package / folder) as entries:
            files = [(entry.name, entry.stat()) for entry in entries if entry.name.endswith(".py")]
        # Sorted, as the order of files in a folder is arbitrary.
        code += [
            (folder, name, status.st_mtime_ns, status.st_size) for name, status in sorted(files)
        ]
    return (str(package), *code, sys.version)
