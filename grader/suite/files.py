"""Suites as files: what they are called, which others they name, and how they are read once.

A hidden suite lies beside the public one: `yinyang.hidden.yaml` beside `yinyang.yaml`. It is
checked against the public one, which has to be in order first.

To parse and to check a suite takes most of a second. One that was in order is kept, and taken again
where all that it was made from is the same: its own text, the files that it names, our code and the
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
"""What the name of a hidden suite has before `.yaml`."""
SPEC: Final = "spec.md"
"""What the text is called that students get, where a suite does not say it."""
_OURS: Final = ("", "judging", "judging/rules", "sandbox", "suite", "values")
"""The folders of this package from which it follows what a suite is in memory."""
_SETTLED_S: Final = 2.0
"""How long ago a file must have changed, for its time to tell that it did."""
_Texts: TypeAlias = Sequence[bytes]


def is_hidden_suite(path: Path) -> bool:
    """Return whether a file of this name is the hidden part of a suite."""
    return path.stem.endswith(HIDDEN_MARK)


def hidden_suite_of(path: Path) -> Path:
    """Return where the hidden part of the suite at `path` lies, if it has one."""
    return path.with_name(f"{path.stem}{HIDDEN_MARK}{path.suffix}")


def stray_hidden_suites(folder: Path) -> list[str]:
    """Return the names of hidden suites in `folder` that lie beside no public one of their name.

    Nothing loads them. `Counter.Hidden.yaml` is meant for one, too.
    """
    endings = (f"{HIDDEN_MARK}.yaml", f"{HIDDEN_MARK}.yml")
    there = {path.name: path for path in folder.glob("*")}
    owned = {hidden_suite_of(path).name for path in there.values() if not is_hidden_suite(path)}
    return sorted(name for name in there if name.lower().endswith(endings) and name not in owned)


def load_suite(path: Path, kinds: Kinds) -> Suite:
    """Return the suite in the file at `path`, without the hidden part that may lie beside it.

    Its rules may be of `kinds`.

    Raises `InvalidSuite` with all that is wrong with it, and `SuiteError` when there is no such
    file or it cannot be read.
    """
    return _suite([_public_text(path)], path, kinds)


def load_whole_suite(path: Path, kinds: Kinds) -> Suite:
    """Return the suite in the file at `path`, with the hidden part that lies beside it, if any.

    Raises what `load_suite` raises, for one file or the other. A hidden part that is there and
    cannot be read is no reason to do without it.
    """
    public, beside = _public_text(path), hidden_suite_of(path)
    if not os.path.lexists(beside):
        return _suite([public], path, kinds)
    try:
        hidden = read_suite(beside)
    except SuiteError:
        _suite([public], path, kinds)  # what is wrong with this one comes first
        raise
    return _suite([public, hidden], path, kinds)


def _public_text(path: Path) -> bytes:
    if is_hidden_suite(path):
        name = path.name.replace(f"{HIDDEN_MARK}.", ".")
        message = f"{one_line(str(path))} is the hidden part of a suite, and no suite by itself"
        raise SuiteError(message, help=f"name the public one, {one_line(name)}")
    return read_suite(path)


def read_suite(path: Path) -> bytes:
    """Return what the file of a suite at `path` holds; raises `SuiteError`."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # one byte too many is enough to refuse the file
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot read the suite {one_line(str(path))}: {one_line(reason)}"
        raise SuiteError(message, help="name the YAML file of a suite") from error


def asked_names(path: Path) -> Mapping[str, list[str]]:
    """Return what the suite at `path` says of `module`, `modules` and `defines`, as `names_asked`.

    It is empty where there is nothing that can be read.
    """
    try:
        text = read_suite(path)
    except SuiteError:
        return {}
    name = _name_of("names", [text])
    found: Mapping[str, list[str]] = recalled(name) or {}
    if not found:
        from grader.suite import loading  # noqa: PLC0415 - as for suites

        if found := loading.names_asked(text):
            keep(name, found)
    return found


# Kept suites


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """A suite as it was read, and what it was made from besides its text."""

    suite: Suite
    code: Mapping[str, str]
    """Hashes of the files with code that it names, by how it names them."""
    spec: str | None
    """Hash of the text that its clauses quote, None where it quotes none."""

    def holds_in(self, folder: Path) -> bool:
        """Return whether all that a suite in `folder` names still says the same."""
        try:
            same = all(_hash_of(code_text(folder, file)) == was for file, was in self.code.items())
            return same and (self.spec is None or self.spec == _spec_hash(self.suite, folder))
        except (OSError, ValueError, Refusal):
            return False


def _suite(texts: _Texts, path: Path, kinds: Kinds) -> Suite:
    """Return the suite at `path` that `texts` hold: the public one, and the hidden one if any."""
    name = _name_of("suite", texts, kinds)
    found = recalled(name)
    if isinstance(found, _Kept) and found.holds_in(path.parent):
        return found.suite
    from grader.suite import loading  # noqa: PLC0415 - most suites were read before

    start_s = time.time()
    suite, code = loading.suite_of(texts, path, kinds)
    if _is_settled(suite, path.parent, start_s):
        hashes = {file: _hash_of(text) for file, text in code.items()}
        spec = _spec_hash(suite, path.parent) if _quotes(suite) else None
        keep(name, _Kept(suite=suite, code=hashes, spec=spec))
    return suite


def _quotes(suite: Suite) -> bool:
    """Return whether `suite` quotes a text that is not in its own."""
    is_packed = (suite.spec or SPEC) in suite.packed
    return not is_packed and any(each.quote is not None for each in suite.clauses)


def _is_settled(suite: Suite, folder: Path, start_s: float) -> bool:
    """Return whether the text that `suite` quotes is sure to be the one that was looked at."""
    if not _quotes(suite):
        return True
    try:
        return os.stat(folder / (suite.spec or SPEC)).st_mtime < start_s - _SETTLED_S
    except OSError:
        return False


def _spec_hash(suite: Suite, folder: Path) -> str:
    return _hash_of(read_spec(folder / (suite.spec or SPEC)))


def _hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _name_of(what: str, texts: _Texts, kinds: Kinds = ()) -> str:
    """Return how `what` follows from `texts` is kept, if their rules may be of `kinds`."""
    sha256 = hashlib.sha256(ascii((kinds, _environment())).encode("ascii"))
    for text in texts:
        sha256.update(hashlib.sha256(text).digest())
    return f"{what}-{sha256.hexdigest()}"


@cache
def _environment() -> tuple[object, ...]:
    """Return what else suites in memory follow from: the interpreter and our code, by its times.

    Python itself tells so whether byte code is that of a source.
    """
    package = Path(__file__).parents[1]
    code = []
    for folder in _OURS:
        with os.scandir(package / folder) as entries:
            found = [(each.name, each.stat()) for each in entries if each.name.endswith(".py")]
        code += [(folder, name, each.st_mtime_ns, each.st_size) for name, each in sorted(found)]
    return (str(package), *code, sys.version)
