"""Loads suites from files: their names, the files they refer to, and the cache of parsed suites.

A hidden suite is next to the public one: `yinyang.hidden.yaml` next to `yinyang.yaml`. It is
checked against the public one, which must be valid first.

Parsing and checking a suite takes most of a second. A valid suite is cached, and reused while
everything it was made from is the same: its text, the files that it names, our code and the
interpreter. See `grader.suite.cache`.
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
from grader.suite.cache import keep, recalled
from grader.suite.clauses import read_spec
from grader.suite.code import code_text
from grader.suite.diagnostics import MAX_BYTES, Refusal
from grader.suite.model import Suite
from grader.suite.rules import Kinds
from grader.values.foreign_text import one_line

HIDDEN_MARK: Final = ".hidden"
"""The end of a hidden suite's name before `.yaml`."""
SPEC: Final = "spec.md"
"""The default name of the spec."""
_CODE_FOLDERS: Final = ("", "judging", "judging/rules", "sandbox", "suite", "values")
"""The folders of this package whose code determines a suite in memory."""
_SETTLING_S: Final = 2.0
"""Seconds since its last change after which a file's time can be trusted to show changes."""
_Texts: TypeAlias = Sequence[bytes]


def is_hidden_suite(path: Path) -> bool:
    """Return whether `path` is named like the hidden part of a suite."""
    return path.stem.endswith(HIDDEN_MARK)


def hidden_suite_of(path: Path) -> Path:
    """Return the path of the hidden part of the suite at `path`, which need not exist."""
    return path.with_name(f"{path.stem}{HIDDEN_MARK}{path.suffix}")


def stray_hidden_suites(folder: Path) -> list[str]:
    """Return the hidden suites in `folder` without a public one, which nothing loads; by name.

    Case is ignored: `Counter.Hidden.yaml` was meant as a hidden suite, too.
    """
    endings = (f"{HIDDEN_MARK}.yaml", f"{HIDDEN_MARK}.yml")
    paths = {path.name: path for path in folder.glob("*")}
    expected = {hidden_suite_of(path).name for path in paths.values() if not is_hidden_suite(path)}
    return sorted(name for name in paths if name.lower().endswith(endings) and name not in expected)


def load_suite(path: Path, kinds: Kinds) -> Suite:
    """Return the suite in the file at `path`, without the hidden part that may be next to it.

    Its rules may be of `kinds`.

    Raises `InvalidSuite` with all its mistakes, and `SuiteError` if the file is missing or
    unreadable.
    """
    return _suite([_public_text(path)], path, kinds)


def load_whole_suite(path: Path, kinds: Kinds) -> Suite:
    """Return the suite in the file at `path`, with the hidden part next to it, if any.

    Raises the same errors as `load_suite`, for either file. A hidden part that cannot be read is an
    error, not ignored.
    """
    public, hidden_path = _public_text(path), hidden_suite_of(path)
    # With lexists, a dangling link is an unreadable hidden suite, not a missing one.
    if not os.path.lexists(hidden_path):
        return _suite([public], path, kinds)
    try:
        hidden = read_suite(hidden_path)
    except SuiteError:
        _suite([public], path, kinds)  # raises first if the public one is wrong as well
        raise
    return _suite([public, hidden], path, kinds)


def _public_text(path: Path) -> bytes:
    if is_hidden_suite(path):
        name = path.name.replace(f"{HIDDEN_MARK}.", ".")
        message = f"{one_line(str(path))} is the hidden part of a suite, and no suite by itself"
        raise SuiteError(message, help=f"name the public one, {one_line(name)}")
    return read_suite(path)


def read_suite(path: Path) -> bytes:
    """Return the bytes of the suite at `path`; raises `SuiteError`."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # one byte too many is enough to refuse the file
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot read the suite {one_line(str(path))}: {one_line(reason)}"
        raise SuiteError(message, help="name the YAML file of a suite") from error


def asked_names(path: Path) -> Mapping[str, list[str]]:
    """Return `module`, `modules` and `defines` of the suite at `path`, as `names_asked` does.

    It is empty if the suite cannot be read.
    """
    try:
        text = read_suite(path)
    except SuiteError:
        return {}
    name = _cache_name("names", [text])
    names: Mapping[str, list[str]] = recalled(name) or {}
    if not names:
        from grader.suite import loading  # noqa: PLC0415 - as for suites

        if names := loading.names_asked(text):
            keep(name, names)
    return names


# Cached suites


@dataclass(frozen=True, slots=True, kw_only=True)
class _CachedSuite:
    """A parsed suite, with hashes of the files it was made from besides its text."""

    suite: Suite
    code: Mapping[str, str]
    """Hashes of the code files that it names, by name."""
    spec: str | None
    """Hash of the spec that its clauses quote, None without quotes."""

    def is_current(self, folder: Path) -> bool:
        """Return whether all files that a suite in `folder` names are unchanged."""
        try:
            # Not `read_code`, which compiles: cached code has been checked.
            is_same = all(
                _hash_of(code_text(folder, file)) == old_hash
                for file, old_hash in self.code.items()
            )
            return is_same and (self.spec is None or self.spec == _spec_hash(self.suite, folder))
        except (OSError, ValueError, Refusal):
            return False


def _suite(texts: _Texts, path: Path, kinds: Kinds) -> Suite:
    """Return the suite at `path`, cached or parsed from `texts`: public, and hidden if any."""
    name = _cache_name("suite", texts, kinds)
    cached = recalled(name)
    if isinstance(cached, _CachedSuite) and cached.is_current(path.parent):
        return cached.suite
    from grader.suite import loading  # noqa: PLC0415 - most suites were read before

    # Taken before reading: a spec changed meanwhile must count as unsettled.
    start_s = time.time()
    suite, code = loading.suite_of(texts, path, kinds)
    if _is_spec_settled(suite, path.parent, start_s):
        hashes = {file: _hash_of(text) for file, text in code.items()}
        spec = _spec_hash(suite, path.parent) if _quotes(suite) else None
        keep(name, _CachedSuite(suite=suite, code=hashes, spec=spec))
    return suite


def _quotes(suite: Suite) -> bool:
    """Return whether `suite` quotes a spec that is not packed in it."""
    is_packed = (suite.spec or SPEC) in suite.packed
    return not is_packed and any(each.quote is not None for each in suite.clauses)


def _is_spec_settled(suite: Suite, folder: Path, start_s: float) -> bool:
    """Return whether the spec surely did not change while `suite` was read."""
    if not _quotes(suite):
        return True
    try:
        return os.stat(folder / (suite.spec or SPEC)).st_mtime < start_s - _SETTLING_S
    except OSError:
        return False


def _spec_hash(suite: Suite, folder: Path) -> str:
    return _hash_of(read_spec(folder / (suite.spec or SPEC)))


def _hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _cache_name(what: str, texts: _Texts, kinds: Kinds = ()) -> str:
    """Return the cache name of `what`, made from `texts` with rules of `kinds`."""
    # `ascii` escapes lone surrogates, which paths may contain and UTF-8 cannot encode.
    sha256 = hashlib.sha256(ascii((kinds, _environment())).encode("ascii"))
    for text in texts:
        # One by one: text moved from the public to the hidden file must change the name.
        sha256.update(hashlib.sha256(text).digest())
    return f"{what}-{sha256.hexdigest()}"


@cache
def _environment() -> tuple[object, ...]:
    """Return what else determines suites in memory: the interpreter, and our code by its times.

    Python recognises stale byte code the same way.
    """
    package = Path(__file__).parents[1]
    code = []
    for folder in _CODE_FOLDERS:
        with os.scandir(package / folder) as entries:
            files = [(each.name, each.stat()) for each in entries if each.name.endswith(".py")]
        # Sorted, as a folder lists its files in any order.
        code += [(folder, name, each.st_mtime_ns, each.st_size) for name, each in sorted(files)]
    return (str(package), *code, sys.version)
