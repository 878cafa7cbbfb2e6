"""Formats an audit as lines for a terminal, or as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Final

from grader.plugins.authoring.auditing.audit import Audit, KillResult
from grader.plugins.authoring.auditing.clauses import SpecSentence
from grader.plugins.authoring.auditing.programs import WrongProgram, WrongProgramSource
from grader.plugins.authoring.suite_text import steps_text
from grader.suite.hidden import case_counts
from grader.suite.model import Suite
from grader.values.foreign_text import count_noun, one_line

SCHEMA: Final = "grader/audit/1"
_KIND_LABELS: Final = {
    WrongProgramSource.MUTANT: "slips",
    WrongProgramSource.MISCONCEPTION: "misconceptions",
    WrongProgramSource.SAMPLE: "wrong solutions",
    WrongProgramSource.RELATED: "slips in right ones",
    WrongProgramSource.PANEL: "panel",
}
_MAX_LISTED: Final = 40
_LINE_CHARS: Final = 100
_MAX_LOSS: Final = 0.2  # as in `grader generate`: one mistake should not cost a larger share


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """An audit with the other facts that its report contains."""

    suite: Suite
    audit: Audit
    proposals: Mapping[str, Mapping[str, Any]]
    """A session that kills a survivor, keyed by the survivor's id. Not all survivors have one."""
    searched: int = 0
    """The number of sessions tried on survivors that have no proposal."""
    clauses: Sequence[SpecSentence]
    unfinished: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The unfinished work: how many units are done, and how many there are, keyed by its name."""


def lines(report: AuditReport) -> Iterator[str]:
    """Yield the report as lines for a terminal."""
    audit = report.audit
    public, hidden = case_counts(report.suite)
    yield f"{report.suite.exercise}: {public} public and {hidden} hidden cases"
    yield ""
    yield from _figures(audit)
    yield ""
    yield from _settled_counts(report.suite)
    for name, cases in audit.disputed.items():
        yield from _section(f"right solution {one_line(name)} does not pass", cases)
    yield from _survivor_sections(report)
    yield from _section("no case tests what the spec says here", _untested_clauses(report.clauses))
    if audit.case_kills:
        yield ""
        yield f"{len(audit.needed)} of {len(audit.case_kills)} cases kill all killed programs"
    yield from _section(
        "cases that kill nothing", [case.id for case in audit.case_kills if not case.kills]
    )
    yield from _section(
        "cases that kill only programs that other cases kill too", _redundant_cases(audit)
    )
    for heading, ids in (
        (
            "listed as equivalent, but the function has changed since: check these mutants again",
            audit.expired,
        ),
        ("listed as equivalent, but killed", audit.refuted),
    ):
        yield from _section(heading, ids)
    if report.unfinished:
        yield from _section(
            "unfinished work: run the same command again to continue",
            [
                f"{work_name}: {done} of {total}"
                for work_name, (done, total) in report.unfinished.items()
            ],
        )


def _figures(audit: Audit) -> Iterator[str]:
    """Yield the lines with the results for wrong programs, right ones and guessers."""
    for tally in audit.tallies:
        if tally.of or tally.equivalent:
            yield _kill_line(tally)
    for name, share in audit.right.items():
        if share < 1:
            yield f"  right solution {one_line(name)}: only {share:.1%} of the points"
    if audit.right:
        full_count = sum(share == 1 for share in audit.right.values())
        yield f"  right solutions      {full_count} of {len(audit.right)} with full points"
    yield from _panel_loss(audit)
    if audit.hard_coded:
        best = max(audit.hard_coded, key=lambda name: audit.hard_coded[name])
        yield f"  hard-coder           {audit.hard_coded[best]:.1%} of the points ({best})"
    for name, share in audit.guessed.items():
        yield f"  guesser              {share:.1%} of the points ({one_line(name)})"


def _kill_line(tally: KillResult) -> str:
    """Return the line for the wrong programs of one kind."""
    remarks = [
        f"{count} {text}"
        for count, text in (
            (tally.equivalent, "equivalent left out"),
            (tally.untold, "left out because no scene distinguishes them"),
            (tally.only_died, "only because they died or hung"),
        )
        if count
    ]
    details = f"  ({'; '.join(remarks)})" if remarks else ""
    return (
        f"  {_KIND_LABELS[tally.kind]:<20} {tally.killed} of {tally.of} killed,"
        f" {tally.share:.1%}{details}"
    )


def _panel_loss(audit: Audit) -> Iterator[str]:
    """Yield a line about the points that the panel's wrong programs lose, if any were graded."""
    losses = sorted(audit.lost.values())
    if losses:
        above_limit = sum(share > _MAX_LOSS for share in losses)
        yield (
            f"  the panel loses      {median(losses):.1%} in the median, {losses[-1]:.1%} at most,"
            f" {above_limit} of them more than {_MAX_LOSS:.0%}"
        )


def _settled_counts(suite: Suite) -> Iterator[str]:
    """Yield a line for each origin of cases, such as a clause, with the number of cases it settles.

    Cases in groups without points are counted separately.
    """
    clauses = {clause.id: clause for clause in suite.clauses}
    groups_with_points = {group.id for group in suite.groups if group.points > 0}
    counts: Counter[str] = Counter()
    for session in suite.sessions:
        for case in session.cases:
            step = session.steps[case.step_index]
            clause = clauses.get(step.clause or "")
            origin = "an example or a line" if step.line is not None else "nothing in the suite"
            if clause is not None:
                origin = "a clause" if clause.quote is not None else "a reading"
            counts[origin if case.group in groups_with_points else f"{origin}, without points"] += 1
    for origin, count in counts.items():
        yield f"  {count} cases settled by {origin}"


def _survivor_sections(report: AuditReport) -> Iterator[str]:
    """Yield the sections on survivors and on programs that no scene tells apart from right ones."""
    audit = report.audit
    # False sorts before True, so survivors with a proposal come first.
    survivors = sorted(audit.survivors, key=lambda program: program.id not in report.proposals)
    yield from _program_section(f"survivors: {len(survivors)}", survivors, report)
    heading = f"not distinguished in {count_noun(report.searched, 'more generated session')}"
    yield from _program_section(f"{heading}: {len(audit.untold)}", audit.untold, report)


def _program_section(
    heading: str, programs: Sequence[WrongProgram], report: AuditReport
) -> Iterator[str]:
    """Yield the section of `programs` under `heading`: their changes and proposals.

    Yield nothing if there are no programs.
    """
    if not programs:
        return
    yield ""
    yield heading
    for program in programs[:_MAX_LISTED]:
        yield from _program_lines(program)
        if session := report.proposals.get(program.id):
            yield "    a case that kills it:"
            yield from (
                f"      {line}" for line in steps_text(_without_observers(session)).splitlines()
            )
    yield from _omitted_count(programs)


def _without_observers(session: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of `session` that can be pasted into a suite.

    Its observers are moved into the steps that use them.
    """
    observers = session.get("observers")
    steps = []
    for step in session["steps"]:
        # The clause of a step is omitted, because clauses are defined in the hidden suite.
        new_step = {key: value for key, value in step.items() if key != "clause"}
        if observers and "raises" in step:
            new_step["unchanged"] = observers
        steps.append(new_step)
    return {**session, "steps": steps}


def _program_lines(program: WrongProgram) -> Iterator[str]:
    """Yield the lines about one program: its id and, for a mutant, the change."""
    mutant = program.mutant
    if mutant is None:
        yield f"  {one_line(program.id)}: a wrong solution beside the reference"
        return
    yield f"  {one_line(program.id)}  {mutant.module_name}.py:{mutant.line}  {mutant.mutator}"
    for sign, text in (("-", mutant.before), ("+", mutant.after)):
        yield from (f"    {sign} {one_line(line, _LINE_CHARS)}" for line in text.splitlines())


def _redundant_cases(audit: Audit) -> list[str]:
    """Return a line for each case that kills only programs that the needed cases kill too."""
    return [
        f"{case.id}: {case.kills}"
        for case in audit.case_kills
        if case.kills and case.id not in audit.needed
    ]


def _untested_clauses(clauses: Iterable[SpecSentence]) -> list[str]:
    """Return a line for each of `clauses` that no case tests."""
    return [
        f"line {clause.line}: {one_line(clause.text, _LINE_CHARS)}"
        for clause in clauses
        if not clause.cases
    ]


def _section(heading: str, items: Sequence[str]) -> Iterator[str]:
    """Yield a section with this `heading` and its `items`, or nothing if there are no items."""
    if not items:
        return
    yield ""
    yield f"{heading}: {len(items)}"
    for item in items[:_MAX_LISTED]:
        yield f"  {item}"
    yield from _omitted_count(items)


def _omitted_count(items: Sequence[object]) -> Iterator[str]:
    if len(items) > _MAX_LISTED:
        yield f"  ... and {len(items) - _MAX_LISTED} more"


def document(report: AuditReport) -> dict[str, Any]:
    """Return the report as plain data for JSON."""
    audit = report.audit
    return {
        "schema": SCHEMA,
        "exercise": report.suite.exercise,
        "killed": {
            _KIND_LABELS[tally.kind]: {
                name: figure for name, figure in asdict(tally).items() if name != "kind"
            }
            for tally in audit.tallies
        },
        "survivors": [
            {**_program_facts(program), "proposal": report.proposals.get(program.id)}
            for program in audit.survivors
        ],
        "searched": report.searched,
        "untold": [_program_facts(program) for program in audit.untold],
        "cases": [asdict(case) for case in audit.case_kills],
        "needed": list(audit.needed),
        "clauses": [asdict(clause) for clause in report.clauses],
        "right": dict(audit.right),
        "disputed": {name: list(cases) for name, cases in audit.disputed.items()},
        "hard_coded": dict(audit.hard_coded),
        "guessed": dict(audit.guessed),
        "lost": dict(audit.lost),
        "expired": list(audit.expired),
        "refuted": list(audit.refuted),
        "left": {
            work: {"done": done, "of": total} for work, (done, total) in report.unfinished.items()
        },
    }


def _program_facts(program: WrongProgram) -> dict[str, Any]:
    """Return the facts about `program` as plain data for JSON."""
    mutant = program.mutant
    if mutant is None:
        return {"id": program.id, "kind": program.kind.value}
    return {
        "id": program.id,
        "kind": program.kind.value,
        "operator": mutant.mutator,
        "module": mutant.module_name,
        "line": mutant.line,
        "before": mutant.before,
        "after": mutant.after,
    }
