"""Makes the record of a submission from what was found about its cases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from pathlib import PurePosixPath
from typing import Final, TypeAlias

from grader import __version__, obstacles
from grader.boards.pictures import known_board, pictures
from grader.counterexamples import Counterexample, clauses
from grader.demands import Rule, function_of
from grader.display import one_line
from grader.grids import MAX_CELLS, MAX_PICTURES, Picture
from grader.hard_coding import hard_coding
from grader.isolation import Isolation
from grader.matching.matches import expected_text
from grader.matching.outcome import Outcome
from grader.messages import Message, message
from grader.record import (
    AdviceItem,
    CaseResult,
    Conditions,
    GroupResult,
    Record,
    RuleHit,
    RuleResult,
    SourceText,
    SubmittedFile,
)
from grader.rules.demanded import demanded
from grader.rules.finding import Hit, RuleFinding, review, skipped
from grader.scoring import earned, penalties, shown, worths
from grader.submission import SourceFile, Submission
from grader.suite import Case, Feedback, Group, Session, Suite
from grader.trial import Finding
from grader.verdict import RuleVerdict, Status, Verdict, Visibility

Found: TypeAlias = Sequence[tuple[Rule, RuleFinding]]
"""What became of each rule, in the order of the suite."""

_MAX_OF_CASE: Final = 2
"""Pictures of one case."""
MAX_SOURCE_CHARS: Final = 60_000
"""Characters that a record holds of the code in one file."""
MAX_SOURCES_CHARS: Final = 200_000
"""Characters of code of all files together."""


@dataclass(frozen=True, slots=True)
class Recorder:
    """Makes records of one submission on one suite."""

    suite: Suite
    submission: Submission
    isolation: Isolation

    def graded(
        self,
        findings: Mapping[str, Finding],
        remarks: Sequence[Message],
        rules: Found = (),
        advice: tuple[AdviceItem, ...] = (),
    ) -> Record:
        """Return the record of a submission with a finding for each case, by the case's id.

        `rules` are what became of the rules of the suite.
        """
        remarks = (*self.submission.remarks, *remarks)
        return self._record(Status.GRADED, findings, remarks, rules, advice)

    def ungradable(self, reasons: Sequence[Message], evidence: str | None = None) -> Record:
        """Return the record of a submission of which nothing can be run, for these reasons.

        `evidence` is what staff should know besides.
        """
        outcome = Outcome(verdict=Verdict.SKIPPED, explanation=(message("skipped.ungradable"),))
        findings = self._for_all_cases(Finding(outcome=outcome, evidence=evidence))
        return self._record(Status.UNGRADABLE, findings, (*reasons, *self.submission.remarks))

    def fault(self, evidence: str) -> Record:
        """Return the record of a submission that we failed to grade; `evidence` is for staff."""
        ours = message("fault.ours")
        outcome = Outcome(verdict=Verdict.FAULT, explanation=(ours,))
        findings = self._for_all_cases(Finding(outcome=outcome, evidence=evidence))
        return self._record(Status.FAULT, findings, (ours, *self.submission.remarks))

    def with_counterexamples(
        self, record: Record, found: Mapping[str, Counterexample | None]
    ) -> Record:
        """Return `record` with what was `found` for its groups, by their ids."""
        gallery = _Gallery(self.suite, (each for case in record.cases for each in case.pictures))
        groups = (self._with_counterexample(group, found, gallery) for group in record.groups)
        return replace(record, groups=tuple(groups))

    def _with_counterexample(
        self, group: GroupResult, found: Mapping[str, Counterexample | None], gallery: _Gallery
    ) -> GroupResult:
        if group.id not in found:
            return group
        example = found[group.id]
        if example is None:
            return replace(group, searched=True)
        result = self._case(example.session, example.case, example.finding, 0.0, gallery)
        result = replace(result, id=example.session.id)
        return replace(group, searched=True, counterexample=result)

    def _for_all_cases(self, finding: Finding) -> Mapping[str, Finding]:
        return {case.id: finding for session in self.suite.sessions for case in session.cases}

    def _record(
        self,
        status: Status,
        findings: Mapping[str, Finding],
        remarks: tuple[Message, ...],
        rules: Found = (),
        advice: tuple[AdviceItem, ...] = (),
    ) -> Record:
        gallery = _Gallery(self.suite)
        groups = [self._group(group, findings, gallery) for group in self.suite.groups]
        max_score = sum(result.max_points for _, result in groups)
        points = {result.id: points for points, result in groups}
        by_id = {result.id: result for _, result in groups}
        rules = [(rule, _weighed(rule, found, by_id)) for rule, found in rules]
        broken = (rule for rule, found in rules if found.verdict is RuleVerdict.BROKEN)
        costs = penalties(broken, points)
        score = sum(points.values(), start=Fraction(0)) - sum(costs.values(), start=Fraction(0))
        return Record(
            id=self.submission.student,
            student=self.submission.student,
            exercise=self.suite.exercise,
            title=self.suite.title,
            language=self.suite.language,
            spec=self.suite.spec,
            spec_url=self.suite.spec_url,
            status=status,
            score=shown(score),
            max_score=max_score,
            remarks=remarks,
            groups=tuple(result for _, result in groups),
            files=self._files(),
            conditions=self._conditions(),
            rules=tuple(self._rule(*each, costs.get(each[0].id, Fraction(0))) for each in rules),
            advice=advice,
            sources=tuple(_source_texts(self._own_files())),
            staff_remarks=self._staff_remarks(status, findings),
        )

    def _staff_remarks(
        self, status: Status, findings: Mapping[str, Finding]
    ) -> tuple[Message, ...]:
        """Return what staff should look at, in a submission that could be graded."""
        if status is not Status.GRADED:
            return ()
        verdicts = {case: finding.outcome.verdict for case, finding in findings.items()}
        return tuple(hard_coding(self.suite, verdicts, self._own_files()))

    def _own_files(self) -> list[SourceFile]:
        """Return the files of code that are the student's, the main file first."""
        main, modules = self.submission.main, self.submission.modules
        own = [file for name, file in sorted(modules.items()) if name not in self.suite.given]
        return own if main is None else [main, *own]

    def _rule(self, rule: Rule, found: RuleFinding, cost: Fraction) -> RuleResult:
        return RuleResult(
            id=rule.id,
            verdict=found.verdict,
            demand=demanded(rule.demand),
            evidence=found.evidence,
            penalty=shown(cost),
            costs=rule.costs,
            function=function_of(rule.demand),
            group=rule.group,
            hits=tuple(self._hits(found.hits)),
            table=found.table,
            spec_line=rule.line,
        )

    def _hits(self, hits: Iterable[Hit]) -> Iterator[RuleHit]:
        """Yield the places of `hits` in the files of the submission."""
        for hit in hits:
            file = self.submission.file_of(hit.place.module, self.suite.module)
            if file is not None:
                yield RuleHit(
                    file=one_line(file.name),
                    line=hit.place.line,
                    column=hit.place.column,
                    text=obstacles.shown_line(file.text, hit.place.line),
                    what=hit.what,
                )

    def _group(
        self, group: Group, findings: Mapping[str, Finding], gallery: _Gallery
    ) -> tuple[Fraction, GroupResult]:
        """Return the points that `group` has earned, exactly, and its result."""
        cases = [
            (session, case)
            for session in self.suite.sessions
            for case in session.cases
            if case.group == group.id
        ]
        counts = not any(findings[case.id].cause in self.suite.helpers for _, case in cases)
        max_points = group.points if counts else 0.0
        visibilities = [session.visibility for session, _ in cases]
        each_worth = worths(max_points, visibilities, self.suite.hidden_share)
        verdicts = (findings[case.id].outcome.verdict for _, case in cases)
        points = earned(each_worth, verdicts)
        results = [
            self._case(session, case, findings[case.id], shown(worth), gallery)
            for (session, case), worth in zip(cases, each_worth, strict=True)
        ]
        may_tell = self.suite.feedback is not Feedback.VERDICT
        return points, GroupResult(
            id=group.id,
            title=group.title,
            points=shown(points),
            max_points=max_points,
            cases=tuple(results),
            clauses=clauses(results) if may_tell else (),
        )

    def _case(
        self, session: Session, case: Case, finding: Finding, worth: float, gallery: _Gallery
    ) -> CaseResult:
        step = session.steps[case.step_index]
        outcome = finding.outcome
        expected = outcome.expected
        if expected is None and step.expectation is not None and not outcome.passed:
            expected = expected_text(step.expectation)
        frame = finding.frame
        return CaseResult(
            id=case.id,
            group=case.group,
            code=step.code,
            verdict=outcome.verdict,
            points=worth if outcome.passed else 0.0,
            max_points=worth,
            visibility=session.visibility,
            explanation=outcome.explanation,
            expected=expected,
            got=outcome.got,
            transcript=finding.transcript,
            source=None if frame is None else obstacles.source_line(self.submission, frame),
            cause=finding.cause,
            spec_line=step.line,
            staff_evidence=finding.evidence,
            pictures=gallery.pictures(session, case, outcome),
        )

    def _conditions(self) -> Conditions:
        return Conditions(
            suite_sha256=self.suite.sha256,
            grader_version=__version__,
            python_version=self.isolation.python_version,
            isolation=self.isolation.level,
            layers=self.isolation.layers,
            limits=self.suite.limits,
            drawn=tuple(each.id for each in self.suite.sessions if each.pool is not None),
        )

    def _files(self) -> tuple[SubmittedFile, ...]:
        submission = self.submission
        encodings = {file.name: file.encoding for file in submission.modules.values()}
        if submission.main is not None:
            encodings[submission.main.name] = submission.main.encoding
        return tuple(
            SubmittedFile(
                name=name,
                size_bytes=len(data),
                sha256=hashlib.sha256(data).hexdigest(),
                encoding=encodings.get(PurePosixPath(name).name),
            )
            for name, data in sorted(submission.raw.items())
        )


def _weighed(rule: Rule, found: RuleFinding, groups: Mapping[str, GroupResult]) -> RuleFinding:
    """Return `found`, weighed against the points of the function that it is about.

    A function that has earned nothing is not praised. One that passes all its cases, and of which
    its rule has nothing to say, is for a person: it may know when it is looked into.
    """
    function, group = function_of(rule.demand), groups.get(rule.group or "")
    if function is None or group is None:
        return found
    if found.verdict is RuleVerdict.PASSED and not group.points:
        return skipped(message("rule.not_working", function=one_line(function, 80)))
    if found.verdict is RuleVerdict.SKIPPED and 0 < group.max_points == group.points:
        return review(*found.evidence, message("rule.elsewhere"))
    return found


def _source_texts(files: Iterable[SourceFile]) -> Iterator[SourceText]:
    """Yield the code in `files`, as far as there is room, in whole lines."""
    room = MAX_SOURCES_CHARS
    for file in files:
        text = _beginning(file.text, min(room, MAX_SOURCE_CHARS))
        room -= len(text)
        left_out = _line_count(file.text) - _line_count(text)
        yield SourceText(name=one_line(file.name), text=text, left_out=left_out)


def _beginning(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    beginning = text[:limit]
    return beginning[: beginning.rfind("\n") + 1] or beginning


def _line_count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and text != "")


class _Gallery:
    """Makes the pictures of one record: of public cases that failed, as long as there is room."""

    def __init__(self, suite: Suite, taken: Iterable[Picture] = ()) -> None:
        """Make pictures for `suite`, besides those `taken` already."""
        self._board = suite.board
        self._pictures = MAX_PICTURES
        self._cells = MAX_CELLS
        for picture in taken:
            self._takes(picture)

    def pictures(self, session: Session, case: Case, outcome: Outcome) -> tuple[Picture, ...]:
        """Return what can be drawn of a case that came to `outcome`."""
        values, board = outcome.values, self._board
        if values is None or board is None or session.visibility is not Visibility.PUBLIC:
            return ()
        if not self._pictures:
            return ()
        known = known_board(session, case.step_index, board)
        found = pictures(values.expected, values.got, board, known)
        return tuple(picture for picture in islice(found, _MAX_OF_CASE) if self._takes(picture))

    def _takes(self, picture: Picture) -> bool:
        cells = picture.height * picture.width * (1 if picture.expected is None else 2)
        if not self._pictures or cells > self._cells:
            return False
        self._pictures -= 1
        self._cells -= cells
        return True
