"""Loads a suite from an instructor's YAML, or reports all its mistakes.

The stages::

    bytes      diagnostics   size, UTF-8, characters that YAML forbids
    text       reading       YAML -> nodes: plain data, each with its position
    data       model         types and single texts, by pydantic; form_errors formats the errors
    parts      loading       sessions with their steps and modules
    suite      checks        consistency between parts; that of rules is in `rules`

Each mistake becomes a `Diagnostic`. All mistakes within parts are reported together. If there are
none, all mistakes between parts are reported.

To load a suite by its path, use `grader.suite.files`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from grader.suite.checks import check_hidden, check_suite
from grader.suite.clauses import Clause, quoted_lines
from grader.suite.code import Code
from grader.suite.diagnostics import (
    Diagnostic,
    InvalidSuite,
    read_source,
    render,
    render_all,
)
from grader.suite.document import Findings
from grader.suite.expectations import Raises
from grader.suite.files import DEFAULT_SPEC_NAME, hidden_suite_path
from grader.suite.form_errors import validate_document
from grader.suite.hidden import Hidden, Sibling, WrittenHidden, merge_suites
from grader.suite.model import Suite, SuiteHead, suite_form
from grader.suite.reading import LOADER, read_document
from grader.suite.rules import Kinds, RuleScope, build_rules
from grader.suite.session import Session, WrittenSession
from grader.suite.steps import Case, Step, WrittenStep
from grader.suite.vocabulary import expand_imports
from grader.verdict import Visibility

__all__ = ["Diagnostic", "InvalidSuite", "Kinds", "render", "render_all"]  # from below


def parse_suites(
    texts: Sequence[bytes], path: Path, kinds: Kinds
) -> tuple[Suite, Mapping[str, str]]:
    """Return the suite at `path`, and the code files that it names, keyed by file name.

    `texts` are the contents of the public suite and, if there is one, of the hidden suite. Raises
    `InvalidSuite` with all mistakes in the first of them that has any.
    """
    text, *hidden = texts
    public, code = _parse(text, str(path), kinds)
    if not hidden:
        return public, code
    hidden_path = str(hidden_suite_path(path))
    return merge_suites(public, parse_hidden_suite(hidden[0], hidden_path, public)), code


def parse_suite(text: bytes, name: str, kinds: Kinds) -> Suite:
    """Return the public suite in `text`, which diagnostics call `name`.

    Its rules can be of `kinds`. The files that the suite names are in the folder of the path
    `name`, or in the folder above it. Raises `InvalidSuite` with all mistakes.
    """
    return _parse(text, name, kinds)[0]


def _parse(text: bytes, name: str, kinds: Kinds) -> tuple[Suite, Mapping[str, str]]:
    """Return the suite in `text`, and the code files that it names, keyed by file name.

    See `parse_suite` for the parameters and errors.
    """
    document = read_document(read_source(text, name))
    # If the file has no rules, the modules of their kinds are not imported.
    form = suite_form(kinds if document.has(("rules",)) else ())
    written = validate_document(document, form, Path(name).parent)
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
        "imports": expand_imports(written.imports),
        "rules": build_rules(written.rules, written.groups, scope),
    }
    # The hash is set below, as it includes lines of the spec, which the head names.
    head = written.convert_to(Suite, **changes, sha256="")
    lines = _find_quoted_lines(written.clauses, name, head, findings)
    code_texts = _code_texts(written)
    suite = head.with_changes(
        sha256=_sha256(text, lines, code_texts),
        asks=_sha256(_without_points(document.data), lines, code_texts),
        sessions=build_sessions(written.sessions, head, lines),
        published=frozenset(clause.id for clause in written.clauses),
    )
    check_suite(suite, findings)
    findings.raise_if_any()
    return suite, _code_by_file(suite, document.data)


def parse_hidden_suite(text: bytes, name: str, public: Suite) -> Hidden:
    """Return the hidden suite in `text`, which extends `public`.

    Diagnostics call it `name`. Raises `InvalidSuite` with all mistakes.
    """
    document = read_document(read_source(text, name))
    written = validate_document(document, WrittenHidden)
    findings = Findings(document)
    values = dict(written)
    lines = _find_quoted_lines(written.clauses, name, public, findings)
    for key in ("sessions", "siblings"):
        values[key] = build_sessions(getattr(written, key), public, lines, is_hidden=True)
    hidden = Hidden(
        sha256=_sha256(text, lines),
        asks=_sha256(_without_points(document.data), lines),
        **values,
    )
    check_hidden(hidden, public, findings)
    findings.raise_if_any()
    return hidden


def read_required_names(text: bytes) -> Mapping[str, list[str]]:
    """Return `module`, `modules` and `defines` of the suite in `text`, and any keys before them.

    Each key is mapped to the texts in its value, and a missing `module` or `modules` to an empty
    list. Nothing is checked, and the result is empty if the keys are not found. Parsing stops
    after these keys, which saves most of the work, as they are near the top of the file.
    """
    keys: dict[str, list[str]] = {"module": [], "modules": []}
    depth, key = 0, None
    try:
        # utf-8-sig, as the file might start with a byte order mark.
        for event in yaml.parse(text.decode("utf-8-sig"), Loader=LOADER):
            match event:
                case yaml.CollectionStartEvent():
                    depth += 1
                case yaml.CollectionEndEvent():
                    depth -= 1
                    key = key if depth > 1 else None
                # Depth 1 is the top mapping, whose scalars alternate between keys and values.
                case yaml.ScalarEvent() if depth == 1 and key is None:
                    key = event.value
                    keys.setdefault(key, [])
                case yaml.ScalarEvent():
                    keys[str(key)].append(event.value)
                    key = key if depth > 1 else None
            if key is None and "defines" in keys and (keys["module"] or keys["modules"]):
                return keys
    # Loading the suite will report its mistakes; a wrong encoding is a ValueError.
    except (ValueError, yaml.YAMLError):
        pass
    return {}


def _find_quoted_lines(
    clauses: Sequence[Clause], name: str, suite: Suite, findings: Findings
) -> Mapping[str, int]:
    """Return the lines of the spec that `clauses` in the file `name` quote, keyed by clause id.

    Quotes that are not found, and a spec that cannot be read, are reported to `findings`.
    """
    spec = suite.spec or DEFAULT_SPEC_NAME
    return quoted_lines(clauses, Path(name).parent / spec, findings, suite.packed.get(spec))


_SCORING_KEYS: Final = frozenset({"equivalent", "format", "generated", "share", "title"})
"""Keys of a suite that affect no verdict. Records are rescored if only such keys have changed."""
_WORTH_KEYS: Final = frozenset({"cap", "points", "title"})
"""The same for a group or a rule."""


def _without_points(data: Mapping[str, Any]) -> bytes:
    """Return the `data` of a suite as JSON, without what affects only points and titles."""
    asks = {key: value for key, value in data.items() if key not in _SCORING_KEYS}
    asks["groups"] = [_without_worth(group) for group in data.get("groups", ())]
    asks["rules"] = {
        kind: [_without_worth(rule) for rule in rules]
        for kind, rules in data.get("rules", {}).items()
    }
    # Sorted, as moving a key in the file must not change the hash.
    return json.dumps(asks, sort_keys=True).encode("ascii")


def _without_worth(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a group or a rule without its title and what it is worth."""
    return {key: value for key, value in form.items() if key not in _WORTH_KEYS}


def _sha256(text: bytes, lines: Mapping[str, int], code: Iterable[str] = ()) -> str:
    """Return the hash of everything in a suite that reports depend on.

    That is its `text`, its `code`, and the `lines` of its clauses in the spec, which reports show.
    """
    sha256 = hashlib.sha256(text)
    for part in (*code, *(f"{clause}\n{line}" for clause, line in lines.items())):
        # Hashed one by one, as moving text from one file to the next must change the result.
        sha256.update(hashlib.sha256(part.encode()).digest())
    return sha256.hexdigest()


def _code_texts(suite: SuiteHead) -> list[str]:
    """Return the code that `suite` names, each text preceded by the name of its module."""
    code_maps = (suite.given, suite.checkers, suite.stand_ins)
    return [f"{module}\n{code}" for code_map in code_maps for module, code in code_map.items()]


def _code_by_file(suite: Suite, data: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the code of `suite` that is not packed in it, keyed by file name.

    The file names are in the `data` of the suite.
    """
    return {
        file: code[module]
        for key, code in (
            ("given", suite.given),
            ("checkers", suite.checkers),
            ("stand_ins", suite.stand_ins),
        )
        for module, file in data.get(key, {}).items()
        if file not in suite.packed
    }


def build_sessions(
    written: Iterable[WrittenSession | Sibling],
    suite: Suite,
    lines: Mapping[str, int],
    *,
    is_hidden: bool = False,
) -> tuple[Session, ...]:
    """Build the sessions of `suite` from their `written` form.

    `lines` maps clause ids to lines of the spec. In a public suite, unnamed cases are numbered per
    group. In a hidden one, the numbers restart in each session and are preceded by its id.
    """
    sessions: list[Session] = []
    numbers: Counter[str] = Counter()
    written = tuple(written)
    reads_by_observer = _reads_by_observer(written)
    for session in written:
        values = {"visibility": Visibility.PUBLIC, **dict(session)}
        prefix = ""
        if is_hidden:
            numbers, prefix = Counter(), f"{session.id}-"
        values["steps"] = tuple(build_steps(session.steps, session.observers, lines))
        values["cases"] = tuple(_build_cases(session.steps, numbers, prefix))
        if values["visibility"] is not Visibility.PUBLIC:
            bound = {name for step in session.steps for name in step.do.binds}
            # All that can be evaluated, so that a look does not reveal what a step expects.
            values["looks"] = tuple(
                code for code, reads in reads_by_observer.items() if reads <= bound
            )
        values["modules"] = (suite.named_modules and session.uses) or suite.modules
        sessions.append(Session(**values))
    return tuple(sessions)


def _reads_by_observer(written: Iterable[WrittenSession | Sibling]) -> dict[str, frozenset[str]]:
    """Return the code of all observers in `written`, mapped to names that steps must bind first."""
    steps = [step for session in written for step in session.steps]
    ever_bound = {name for step in steps for name in step.do.binds}
    observers = [observer for session in written for observer in session.observers]
    observers += [observer for step in steps for observer in step.unchanged or ()]
    return {observer.text: observer.reads & ever_bound for observer in observers}


def build_steps(
    written: Sequence[WrittenStep], observers: Sequence[Code], lines: Mapping[str, int]
) -> Iterator[Step]:
    """Build and yield the steps of a session from their `written` form.

    Steps that must raise get the `observers`, unless they have their own. `lines` maps clause ids
    to lines of the spec.
    """
    ever_bound = {name for written_step in written for name in written_step.binds}
    bound: set[str] = set()
    for step in written:
        step_observers = observers if step.unchanged is None else step.unchanged
        yield step.convert_to(
            Step,
            line=step.line or lines.get(step.clause or ""),
            uses=step.do.reads & bound,
            observers=tuple(
                observer.text
                for observer in step_observers
                # An observer that reads unbound names would raise before and after the step.
                if isinstance(step.expectation, Raises) and observer.reads & ever_bound <= bound
            ),
        )
        bound.update(step.binds)


def _build_cases(
    steps: Sequence[WrittenStep], numbers: Counter[str], prefix: str
) -> Iterator[Case]:
    """Yield the cases in `steps`; an unnamed case gets `prefix` and a number as its name.

    Each case, named or not, is counted in `numbers`, keyed by group.
    """
    for index, step in enumerate(steps):
        if step.group is not None:
            numbers[step.group] += 1
            name = step.case or f"{prefix}{numbers[step.group]}"
            yield Case(id=f"{step.group}/{name}", group=step.group, step_index=index)
