"""The result of an audit as lines for a terminal, or as plain data."""

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
from grader.values.foreign_text import count_of, one_line

SCHEMA: Final = "grader/audit/1"
_WORDS: Final = {
    WrongProgramSource.MUTANT: "slips",
    WrongProgramSource.MISCONCEPTION: "misconceptions",
    WrongProgramSource.SAMPLE: "wrong solutions",
    WrongProgramSource.RELATED: "slips in right ones",
    WrongProgramSource.PANEL: "panel",
}
_MAX_LISTED: Final = 40
_LINE_CHARS: Final = 100
_DEAR: Final = 0.2  # as in `grader generate`: above it, one mistake costs too much


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """An audit, and what is reported with it."""

    suite: Suite
    audit: Audit
    proposals: Mapping[str, Mapping[str, Any]]
    """For some survivors, by id: a session that kills it."""
    searched: int = 0
    """The number of sessions tried on survivors without a proposal."""
    clauses: Sequence[SpecSentence]
    left: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Unfinished work: the number of units done, and of all."""


def lines(report: AuditReport) -> Iterator[str]:
    """Yield the report as lines for a terminal."""
    audit = report.audit
    public, hidden = case_counts(report.suite)
    yield f"{report.suite.exercise}: {public} public and {hidden} hidden cases"
    yield ""
    yield from _figures(audit)
    yield ""
    yield from _settled(report.suite)
    for name, cases in audit.disputed.items():
        yield from _listed(f"right solution {one_line(name)} does not pass", cases)
    yield from _survivors(report)
    yield from _listed("no case tests what the spec says here", _untested(report.clauses))
    if audit.worths:
        yield ""
        yield f"{len(audit.needed)} of {len(audit.worths)} cases kill all that is killed"
    yield from _listed(
        "cases that kill nothing", [worth.id for worth in audit.worths if not worth.kills]
    )
    yield from _listed("what the others kill, these kill again", _spare(audit))
    for text, ids in (
        ("listed as equivalent, but the function has changed: look again", audit.expired),
        ("listed as equivalent, but killed", audit.refuted),
    ):
        yield from _listed(text, ids)
    if report.left:
        yield from _listed(
            "not done yet; give the same command again to go on",
            [f"{called}: {done} of {of}" for called, (done, of) in report.left.items()],
        )


def _figures(audit: Audit) -> Iterator[str]:
    """Yield a line for each figure."""
    for tally in audit.tallies:
        if tally.of or tally.equivalent:
            yield _tally(tally)
    for name, part in audit.right.items():
        if part < 1:
            yield f"  right solution {one_line(name)}: only {part:.1%} of the points"
    if audit.right:
        full = sum(part == 1 for part in audit.right.values())
        yield f"  right solutions      {full} of {len(audit.right)} with full points"
    yield from _prices(audit)
    if audit.hard_coded:
        best = max(audit.hard_coded, key=lambda name: audit.hard_coded[name])
        yield f"  hard-coder           {audit.hard_coded[best]:.1%} of the points ({best})"
    for name, part in audit.guessed.items():
        yield f"  guesser              {part:.1%} of the points ({one_line(name)})"


def _tally(tally: KillResult) -> str:
    notes = [
        f"{count} {text}"
        for count, text in (
            (tally.equivalent, "equivalent left out"),
            (tally.untold, "told apart by nothing left out"),
            (tally.only_died, "only for not surviving"),
        )
        if count
    ]
    noted = f"  ({'; '.join(notes)})" if notes else ""
    return (
        f"  {_WORDS[tally.kind]:<20} {tally.killed} of {tally.of} killed, {tally.share:.1%}{noted}"
    )


def _prices(audit: Audit) -> Iterator[str]:
    """Yield a line on the points that the wrong programs of the panel lose."""
    lost = sorted(audit.lost.values())
    if lost:
        dear = sum(each > _DEAR for each in lost)
        yield (
            f"  the panel loses      {median(lost):.1%} in the median, {lost[-1]:.1%} at most,"
            f" {dear} of them more than {_DEAR:.0%}"
        )


def _settled(suite: Suite) -> Iterator[str]:
    """Yield the number of cases by what settles them, those without points separately."""
    clauses = {each.id: each for each in suite.clauses}
    earning = {group.id for group in suite.groups if group.points > 0}
    counts: Counter[str] = Counter()
    for session in suite.sessions:
        for case in session.cases:
            step = session.steps[case.step_index]
            clause = clauses.get(step.clause or "")
            by = "an example or a line" if step.line is not None else "nothing that is named"
            if clause is not None:
                by = "a clause" if clause.quote is not None else "a reading"
            counts[by if case.group in earning else f"{by}, without points"] += 1
    for by, count in counts.items():
        yield f"  {count} cases settled by {by}"


def _survivors(report: AuditReport) -> Iterator[str]:
    audit = report.audit
    # False sorts first: those with a proposal.
    survivors = sorted(audit.survivors, key=lambda each: each.id not in report.proposals)
    yield from _headed(f"survivors: {len(survivors)}", survivors, report)
    tried = f"not told apart in {count_of(report.searched, 'more session')} of the generator"
    yield from _headed(f"{tried}: {len(audit.untold)}", audit.untold, report)


def _headed(heading: str, programs: Sequence[WrongProgram], report: AuditReport) -> Iterator[str]:
    """Yield `heading` and the changes in `programs`, if there are any."""
    if not programs:
        return
    yield ""
    yield heading
    for program in programs[:_MAX_LISTED]:
        yield from _survivor(program)
        if session := report.proposals.get(program.id):
            yield "    a case that kills it:"
            yield from (f"      {line}" for line in steps_text(_alone(session)).splitlines())
    yield from _more(programs)


def _alone(session: Mapping[str, Any]) -> dict[str, Any]:
    """Return `session` so that it can be pasted into a suite: observers moved into its steps."""
    observers = session.get("observers")
    steps = []
    for step in session["steps"]:
        # Clauses are defined in the hidden suite.
        own = {key: value for key, value in step.items() if key != "clause"}
        if observers and "raises" in step:
            own["unchanged"] = observers
        steps.append(own)
    return {**session, "steps": steps}


def _survivor(program: WrongProgram) -> Iterator[str]:
    mutant = program.mutant
    if mutant is None:
        yield f"  {one_line(program.id)}: a wrong solution that lies beside the reference"
        return
    yield f"  {one_line(program.id)}  {mutant.module}.py:{mutant.line}  {mutant.mutator}"
    for sign, text in (("-", mutant.before), ("+", mutant.after)):
        yield from (f"    {sign} {one_line(line, _LINE_CHARS)}" for line in text.splitlines())


def _spare(audit: Audit) -> list[str]:
    """Return the cases that kill only what the needed cases kill."""
    return [
        f"{worth.id}: {worth.kills}"
        for worth in audit.worths
        if worth.kills and worth.id not in audit.needed
    ]


def _untested(clauses: Iterable[SpecSentence]) -> list[str]:
    return [
        f"line {clause.line}: {one_line(clause.text, _LINE_CHARS)}"
        for clause in clauses
        if not clause.cases
    ]


def _listed(text: str, items: Sequence[str]) -> Iterator[str]:
    if not items:
        return
    yield ""
    yield f"{text}: {len(items)}"
    for item in items[:_MAX_LISTED]:
        yield f"  {item}"
    yield from _more(items)


def _more(listed: Sequence[object]) -> Iterator[str]:
    if len(listed) > _MAX_LISTED:
        yield f"  ... and {len(listed) - _MAX_LISTED} more"


def document(report: AuditReport) -> dict[str, Any]:
    """Return the report as plain data."""
    audit = report.audit
    return {
        "schema": SCHEMA,
        "exercise": report.suite.exercise,
        "killed": {
            _WORDS[tally.kind]: {
                name: number for name, number in asdict(tally).items() if name != "kind"
            }
            for tally in audit.tallies
        },
        "survivors": [
            {**_described(program), "proposal": report.proposals.get(program.id)}
            for program in audit.survivors
        ],
        "searched": report.searched,
        "untold": [_described(program) for program in audit.untold],
        "cases": [asdict(worth) for worth in audit.worths],
        "needed": list(audit.needed),
        "clauses": [asdict(clause) for clause in report.clauses],
        "right": dict(audit.right),
        "disputed": {name: list(cases) for name, cases in audit.disputed.items()},
        "hard_coded": dict(audit.hard_coded),
        "guessed": dict(audit.guessed),
        "lost": dict(audit.lost),
        "expired": list(audit.expired),
        "refuted": list(audit.refuted),
        "left": {called: {"done": done, "of": of} for called, (done, of) in report.left.items()},
    }


def _described(program: WrongProgram) -> dict[str, Any]:
    mutant = program.mutant
    if mutant is None:
        return {"id": program.id, "kind": program.kind.value}
    own = {name: getattr(mutant, name) for name in ("module", "line", "before", "after")}
    return {"id": program.id, "kind": program.kind.value, "operator": mutant.mutator, **own}
