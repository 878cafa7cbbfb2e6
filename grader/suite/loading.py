"""From the YAML that an instructor writes to a suite, or to all that is wrong with it.

The way of a suite::

    bytes      diagnostics   size, UTF-8, characters that YAML forbids
    text       reading       YAML -> nodes: plain data, each with its place
    data       model         types and single texts, by pydantic; form_errors says it in our words
    parts      loading       each session among its steps and its modules
    suite      checks        what parts ask of each other; of rules, rule_building

A mistake becomes a `Diagnostic`. All that is wrong with parts by themselves is reported together,
and then all that is wrong between them.

A hidden suite lies beside the public one: `yinyang.hidden.yaml` beside `yinyang.yaml`. It is
checked against the public one, which has to be in order first.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from grader.errors import SuiteError
from grader.suite.checks import check_hidden, check_suite
from grader.suite.clauses import Clause, lines_of
from grader.suite.code import Code
from grader.suite.diagnostics import (
    MAX_BYTES,
    Diagnostic,
    InvalidSuite,
    read_source,
    render,
    render_all,
)
from grader.suite.document import Findings
from grader.suite.expectations import Raises
from grader.suite.form_errors import validated
from grader.suite.hidden import Hidden, Sibling, WrittenHidden, merged
from grader.suite.model import Suite, SuiteHead, suite_form
from grader.suite.reading import read_document
from grader.suite.rules import Kinds, RuleScope, build_rules
from grader.suite.session import Session, WrittenSession
from grader.suite.steps import Case, Step, WrittenStep
from grader.suite.vocabulary import expanded
from grader.values.foreign_text import one_line
from grader.verdict import Visibility

__all__ = ["Diagnostic", "InvalidSuite", "Kinds", "render", "render_all"]  # from below

HIDDEN_MARK: Final = ".hidden"
"""What the name of a hidden suite has before `.yaml`."""


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
    if is_hidden_suite(path):
        name = path.name.replace(f"{HIDDEN_MARK}.", ".")
        message = f"{one_line(str(path))} is the hidden part of a suite, and no suite by itself"
        raise SuiteError(message, help=f"name the public one, {one_line(name)}")
    return parse_suite(_read(path), str(path), kinds)


def load_whole_suite(path: Path, kinds: Kinds) -> Suite:
    """Return the suite in the file at `path`, with the hidden part that lies beside it, if any.

    Raises what `load_suite` raises, for one file or the other. A hidden part that is there and
    cannot be read is no reason to do without it.
    """
    public, beside = load_suite(path, kinds), hidden_suite_of(path)
    if not os.path.lexists(beside):
        return public
    return merged(public, parse_hidden_suite(_read(beside), str(beside), public))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # one byte too many is enough to refuse the file
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot read the suite {one_line(str(path))}: {one_line(reason)}"
        raise SuiteError(message, help="name the YAML file of a suite") from error


def parse_suite(text: bytes, name: str, kinds: Kinds) -> Suite:
    """Return the suite that `text` holds; its rules may be of `kinds`, diagnostics call it `name`.

    The files that it names lie below the folder of `name`, or below the one above. Raises
    `InvalidSuite` with all that is wrong with it.
    """
    document = read_document(read_source(text, name))
    form = suite_form(kinds if document.has(("rules",)) else ())
    written = validated(document, form, Path(name).parent)
    findings = Findings(document)
    scope = RuleScope(
        findings=findings,
        path=("rules",),
        functions=(*written.defines, *written.helpers),
        module=written.module,
        modules=written.modules,
        given=tuple(written.given),
    )
    changes = {
        "binds": "names" if written.module else "modules",
        "modules": written.modules or (written.module,),
        "imports": expanded(written.imports),
        "rules": build_rules(written.rules, written.groups, scope),
    }
    head = Suite.model_construct(written.model_fields_set, **{**dict(written), **changes})
    lines = _lines_of(written.clauses, name, head, findings)
    named = _code_of(written)
    suite = head.changed(
        sha256=_sha256(text, lines, named),
        asks=_sha256(_without_points(document.data), lines, named),
        sessions=sessions_of(written.sessions, head, lines),
        published=frozenset(clause.id for clause in written.clauses),
    )
    check_suite(suite, findings)
    findings.end()
    return suite


def parse_hidden_suite(text: bytes, name: str, public: Suite) -> Hidden:
    """Return the hidden suite that `text` holds and that adds to `public`.

    Diagnostics call it `name`. Raises `InvalidSuite` with all that is wrong with it.
    """
    document = read_document(read_source(text, name))
    written = validated(document, WrittenHidden)
    findings = Findings(document)
    given = dict(written)
    lines = _lines_of(written.clauses, name, public, findings)
    for key in ("sessions", "siblings"):
        given[key] = sessions_of(getattr(written, key), public, lines, is_hidden=True)
    hidden = Hidden.model_construct(
        sha256=_sha256(text, lines),
        asks=_sha256(_without_points(document.data), lines),
        **given,
    )
    check_hidden(hidden, public, findings)
    findings.end()
    return hidden


def _lines_of(
    clauses: Sequence[Clause], name: str, suite: Suite, findings: Findings
) -> Mapping[str, int]:
    """Return the lines of the spec that `clauses`, in the file called `name`, quote, by id."""
    spec = suite.spec or "spec.md"
    return lines_of(clauses, Path(name).parent / spec, findings, suite.packed.get(spec))


_OF_SCORING: Final = frozenset({"equivalent", "generated", "share", "title"})
_OF_WORTH: Final = frozenset({"cap", "points", "title"})


def _without_points(data: Mapping[str, Any]) -> bytes:
    """Return what a suite says but for titles, and what its cases and rules are worth."""
    asks = {key: value for key, value in data.items() if key not in _OF_SCORING}
    asks["groups"] = [_worthless(each) for each in data.get("groups", ())]
    asks["rules"] = {
        kind: [_worthless(each) for each in rules] for kind, rules in data.get("rules", {}).items()
    }
    return json.dumps(asks, sort_keys=True).encode("ascii")


def _worthless(form: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in form.items() if key not in _OF_WORTH}


def _sha256(text: bytes, lines: Mapping[str, int], code: Iterable[str] = ()) -> str:
    """Return the hash of a suite: of its `text`, and of what that names in other files.

    That is `code`, and the `lines` of the spec at which its clauses stand: reports tell them.
    """
    sha256 = hashlib.sha256(text)
    for named in (*code, *(f"{clause}\n{line}" for clause, line in lines.items())):
        sha256.update(hashlib.sha256(named.encode()).digest())
    return sha256.hexdigest()


def _code_of(suite: SuiteHead) -> list[str]:
    """Return the code that is named in `suite`, each with the name of its module."""
    named = (suite.given, suite.checkers, suite.stand_ins)
    return [f"{module}\n{code}" for of_kind in named for module, code in of_kind.items()]


def sessions_of(
    written: Iterable[WrittenSession | Sibling],
    suite: Suite,
    lines: Mapping[str, int],
    *,
    is_hidden: bool = False,
) -> tuple[Session, ...]:
    """Return the sessions that are `written` for `suite`; `lines` of the spec settle its clauses.

    Cases without a name are counted through in a public suite. In a hidden one they are called
    after their session, or after the pool that it shares with its alternatives.
    """
    sessions: list[Session] = []
    numbers: Counter[str] = Counter()
    written = tuple(written)
    looks = _looks(written)
    for one in written:
        given = {"visibility": Visibility.PUBLIC, "pool": None, **dict(one)}
        prefix = ""
        if is_hidden:
            numbers, prefix = Counter(), f"{given['pool'] or one.id}-"
        given["steps"] = tuple(steps_in_order(one.steps, one.observers, lines))
        given["cases"] = tuple(_cases(one.steps, numbers, prefix))
        if given["visibility"] is not Visibility.PUBLIC:
            bound = {name for line in one.steps for name in line.do.binds}
            given["looks"] = tuple(code for code, reads in looks.items() if reads <= bound)
        given["modules"] = (suite.named_modules and one.uses) or suite.modules
        sessions.append(Session.model_construct(**given))
    return tuple(sessions)


def _looks(written: Iterable[WrittenSession | Sibling]) -> dict[str, frozenset[str]]:
    """Return the observers of `written`, each with the names that steps must have bound for it."""
    lines = [line for one in written for line in one.steps]
    ever = {name for line in lines for name in line.do.binds}
    asked = [look for one in written for look in one.observers]
    asked += [look for line in lines for look in line.unchanged or ()]
    return {look.text: look.reads & ever for look in asked}


def steps_in_order(
    written: Sequence[WrittenStep], observers: Sequence[Code], lines: Mapping[str, int]
) -> Iterator[Step]:
    """Yield the steps that are `written` one after the other.

    The `observers` are for those that are refused; of the spec, `lines` settle the clauses.
    """
    ever = {name for step in written for name in step.binds}
    bound: set[str] = set()
    for line in written:
        looks = observers if line.unchanged is None else line.unchanged
        yield Step.model_construct(
            _fields_set=line.model_fields_set,
            **dict(line) | {"line": line.line or lines.get(line.clause or "")},
            uses=line.do.reads & bound,
            observers=tuple(
                look.text
                for look in looks
                # One that reads what is not bound yet would raise, and prove nothing.
                if isinstance(line.expectation, Raises) and look.reads & ever <= bound
            ),
        )
        bound.update(line.binds)


def _cases(lines: Sequence[WrittenStep], numbers: Counter[str], prefix: str) -> Iterator[Case]:
    """Yield the cases among `lines`; those without a name have a number after the `prefix`."""
    for index, line in enumerate(lines):
        if line.group is not None:
            numbers[line.group] += 1
            name = line.case or f"{prefix}{numbers[line.group]}"
            yield Case(id=f"{line.group}/{name}", group=line.group, step_index=index)
