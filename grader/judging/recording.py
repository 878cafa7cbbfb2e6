"""Makes the record of a submission from the results of its cases and rules."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import PurePosixPath
from typing import TypeAlias

from grader import __version__
from grader.intake.submission import SourceFile, Submission
from grader.judging import load_errors
from grader.judging.counterexamples import Counterexample, failed_clauses, with_example_first
from grader.judging.hard_coding import hard_coding
from grader.judging.lateness import late_result
from grader.judging.picture_making import MakesPictures, picture_maker
from grader.judging.plain import passed_group, plain_passed_case
from grader.judging.printing import expected_text
from grader.judging.record import (
    Advice,
    CaseResult,
    Conditions,
    GroupResult,
    Record,
    RuleHit,
    RuleResult,
    SubmissionFile,
)
from grader.judging.results import (
    PASSED,
    AskedCase,
    Hit,
    Result,
    Results,
    Ruling,
    earned,
    exact,
    hidden_tally,
    penalties,
    review,
    shown,
    skipped,
    worths,
)
from grader.judging.source_texts import source_texts
from grader.judging.stops import stop_result
from grader.judging.unnamed_packages import unnamed_packages
from grader.messages import Message, message
from grader.sandbox.isolation import Isolation
from grader.suite.expectations import Returns
from grader.suite.model import Feedback, Suite
from grader.suite.rules import Rule
from grader.suite.session import Session
from grader.suite.steps import Case, Group
from grader.suite.texts import STOPS_COST_NOTHING
from grader.values.foreign_text import one_line
from grader.values.tree import Atom
from grader.verdict import RuleVerdict, Status, Verdict, Visibility

Rulings: TypeAlias = Sequence[tuple[Rule, Ruling]]
"""The result of each rule, in the order of the suite."""


@dataclass(frozen=True, slots=True)
class Recorder:
    """Makes records of one submission on one suite."""

    suite: Suite
    submission: Submission
    isolation: Isolation

    def graded(
        self,
        results: Results,
        remarks: Sequence[Message],
        rules: Rulings = (),
        advice: tuple[Advice, ...] = (),
        given: Mapping[str, Collection[int]] | None = None,
        stops: Sequence[Message] = (),
    ) -> Record:
        """Return the record of a submission with the `results` of all cases.

        `rules` are the results of the suite's rules, `given` the lines of each file that are not
        the student's work, and `stops` the messages about stopped modules. If a case is a FAULT,
        so is the record, and the submission has to be graded again.
        """
        if self.suite.stopped == STOPS_COST_NOTHING:
            remarks = (*stops, *remarks)
        status, remarks = Status.GRADED, self._remarks(remarks)
        if any(each.verdict is Verdict.FAULT for each in results.values()):
            status, remarks = Status.FAULT, (message("fault.ours"), *remarks)
        record = self._record(status, results, remarks, rules, advice, stops)
        for_staff = (
            *self._staff_remarks(status, results, given),
            *unnamed_packages(remarks, results),
        )
        return replace(record, staff_remarks=for_staff)

    def _remarks(self, of_sessions: Sequence[Message]) -> tuple[Message, ...]:
        """Return all remarks for the student, given those from the sessions."""
        readings = [
            message("remark.reading", reading=one_line(each))
            for each in self.suite.published_readings
        ]
        own = self._own_remarks()
        return (*own, *of_sessions, *readings)

    def _own_remarks(self) -> list[Message]:
        """Return the remarks about files; not about notebooks if the suite accepts them."""
        accepts_notebooks = self.suite.notebooks
        return [
            each
            for each in self.submission.remarks
            if not (accepts_notebooks and each.key == "remark.notebook")
        ]

    def ungradable(self, reasons: Sequence[Message], evidence: str | None = None) -> Record:
        """Return the record of a submission that cannot be run, for these `reasons`.

        `evidence` is for staff.
        """
        explanation = (message("skipped.ungradable"),)
        result = Result(verdict=Verdict.SKIPPED, explanation=explanation, evidence=evidence)
        results = dict.fromkeys(self._case_ids(), result)
        record = self._record(Status.UNGRADABLE, results, (*reasons, *self._own_remarks()))
        return replace(record, staff_remarks=tuple(unnamed_packages(reasons, results)))

    def fault(self, evidence: str) -> Record:
        """Return the record of a submission that we failed to grade; `evidence` is for staff."""
        ours = message("fault.ours")
        result = Result(verdict=Verdict.FAULT, explanation=(ours,), evidence=evidence)
        results = dict.fromkeys(self._case_ids(), result)
        return self._record(Status.FAULT, results, (ours, *self.submission.remarks))

    def with_counterexamples(
        self, record: Record, found: Mapping[str, Counterexample | None]
    ) -> Record:
        """Return `record` with the counterexamples that were `found`, by group id."""
        # Pictures that the record already has count against its limits.
        maker = picture_maker(self.suite, (each for case in record.cases for each in case.pictures))
        groups = []
        for group in record.groups:
            shown, clauses = None, group.clauses
            if (example := found.get(group.id)) is not None:
                shown = replace(self._example(example, maker), id=example.session.id)
                clauses = with_example_first(self.suite, example, clauses)
            changed = replace(group, counterexample=shown, clauses=clauses)
            groups.append(replace(changed, searched=group.id in found))
        return replace(record, groups=tuple(groups))

    def example(self, example: Counterexample) -> CaseResult:
        """Return the case result of an `example`, which is worth no points."""
        return self._example(example, picture_maker(self.suite))

    def _example(self, example: Counterexample, maker: MakesPictures) -> CaseResult:
        nothing = (Fraction(0), Fraction(0))
        return self._case(example.session, example.case, example.result, nothing, maker)

    def _case_ids(self) -> Iterator[str]:
        return (case.id for cases in self.suite.cases.values() for _, case in cases)

    def _record(
        self,
        status: Status,
        results: Results,
        remarks: tuple[Message, ...],
        rules: Rulings = (),
        advice: tuple[Advice, ...] = (),
        stops: Sequence[Message] = (),
    ) -> Record:
        """Return the record, with points computed from `results`, rules, stops and lateness."""
        maker = picture_maker(self.suite)
        groups = [self._group(group, results, maker) for group in self.suite.groups]
        max_score = sum(result.max_points for _, result in groups)
        points = {result.id: points for points, result in groups}
        by_id = {result.id: result for _, result in groups}
        rules = [(rule, _adjusted(rule, found, by_id)) for rule, found in rules]
        broken = (rule for rule, found in rules if found.verdict is RuleVerdict.BROKEN)
        costs = penalties(broken, points)
        score = sum(points.values(), start=Fraction(0)) - sum(costs.values(), start=Fraction(0))
        shown_rules = [self._rule(*each, costs.get(each[0].id, Fraction(0))) for each in rules]
        lost, stopped = stop_result(self.suite.stopped, score, stops)
        score -= lost
        shown_rules += [] if stopped is None else [stopped]
        if self.submission.lateness is not None:
            # Last: lateness takes its share of what rules and stops have left.
            lost, late = late_result(self.submission.lateness, score, exact(max_score))
            score -= lost
            shown_rules.append(late)
        return Record(
            id=self.submission.student,
            student=self.submission.student,
            exercise=self.suite.exercise,
            title=self.suite.title,
            language=self.suite.language,
            also_in=tuple(each for each in self.suite.also_in if each != self.suite.language),
            spec=self.suite.spec,
            spec_url=self.suite.spec_url,
            site_url=self.suite.site_url or "",
            contact=self.suite.contact or "",
            # Sorted, so that equal records are equal byte for byte.
            wording=tuple(sorted(self.suite.wording.items())),
            status=status,
            score=shown(score),
            max_score=max_score,
            remarks=remarks,
            groups=tuple(result for _, result in groups),
            files=self._files(),
            conditions=self._conditions(),
            rules=tuple(shown_rules),
            advice=advice,
            sources=tuple(source_texts(self._files_in_order())),
        )

    def _staff_remarks(
        self, status: Status, results: Results, given: Mapping[str, Collection[int]] | None
    ) -> tuple[Message, ...]:
        """Return remarks for staff on a submission that could be graded."""
        if status is not Status.GRADED:
            return ()
        verdicts = {case: result.verdict for case, result in results.items()}
        return tuple(hard_coding(self.suite, verdicts, self._files_in_order(), given))

    @property
    def own_files(self) -> dict[str, SourceFile]:
        """The student's own modules, by import name."""
        modules, given = self.submission.modules, self.suite.given
        return {name: file for name, file in modules.items() if name not in given}

    def _files_in_order(self) -> list[SourceFile]:
        """Return the student's code files, those of the exercise first."""
        asked, own = {*self.submission.parts.values()}, self.own_files
        return [own[name] for name in sorted(own, key=lambda name: (name not in asked, name))]

    def _rule(self, rule: Rule, ruling: Ruling, cost: Fraction) -> RuleResult:
        """Return the recorded result of `rule`, whose breaking costs `cost` points."""
        return RuleResult(
            id=rule.id,
            verdict=ruling.verdict,
            demand=rule.sentence(),
            evidence=ruling.evidence,
            penalty=shown(cost),
            costs=rule.costs,
            function=rule.about,
            group=rule.group,
            hits=tuple(self._hits(ruling.hits)),
            table=ruling.table,
            spec_line=rule.line,
        )

    def _hits(self, hits: Iterable[Hit]) -> Iterator[RuleHit]:
        """Yield `hits` as places in files of the submission."""
        for hit in hits:
            file = self.submission.modules.get(hit.place.module)
            if file is not None:
                yield RuleHit(
                    file=one_line(file.name),
                    line=hit.place.line,
                    column=hit.place.column,
                    text=load_errors.shown_line(file.text, hit.place.line),
                    what=hit.what,
                )

    def _group(
        self, group: Group, results: Results, maker: MakesPictures
    ) -> tuple[Fraction, GroupResult]:
        """Return the exact points that `group` has earned, and its result."""
        cases = self.suite.cases[group.id]
        # By identity: only the shared PASSED is without any explanation.
        if all(results[case.id] is PASSED for _, case in cases):
            return exact(group.points), passed_group(self.suite, group)
        # Helpers are optional: a group that lacks one is worth nothing, and costs nothing.
        counts = not any(results[case.id].cause in self.suite.helpers for _, case in cases)
        max_points = group.points if counts else 0.0
        asked = [
            AskedCase(session.visibility, session.steps[case.step_index].clause)
            for session, case in cases
        ]
        each_worth = worths(max_points, asked, self.suite.hidden_share)
        of_cases = [results[case.id] for _, case in cases]
        points = earned(each_worth, asked, of_cases)
        recorded = [
            self._case(session, case, results[case.id], (worth, own), maker)
            for (session, case), worth, own in zip(cases, each_worth, points, strict=True)
        ]
        shows_clauses = self.suite.feedback is not Feedback.COUNT
        # Summing only the lost points is faster: adding fractions is slow, and most cases pass.
        lost = (w - p for w, p in zip(each_worth, points, strict=True) if p is not w)
        of_group = exact(max_points) - sum(lost, start=Fraction(0))
        return of_group, GroupResult(
            id=group.id,
            title=group.title,
            points=shown(of_group),
            max_points=max_points,
            cases=tuple(recorded),
            hidden=hidden_tally(asked, of_cases),
            clauses=failed_clauses(self.suite, recorded) if shows_clauses else (),
        )

    def _case(
        self,
        session: Session,
        case: Case,
        result: Result,
        points: tuple[Fraction, Fraction],
        maker: MakesPictures,
    ) -> CaseResult:
        """Return the result of `case`; `points` are its worth and what it has earned."""
        worth, earned_points = points
        worth_shown = shown(worth)
        points_shown = worth_shown if earned_points is worth else shown(earned_points)
        if result is PASSED:
            # One object for the whole class, as most cases pass like this.
            return plain_passed_case(session, case, points_shown, worth_shown)
        step = session.steps[case.step_index]
        expected = result.expected
        if expected is None and step.expectation is not None and not result.passed:
            expected = expected_text(step.expectation)
        frame = result.frame
        return CaseResult(
            id=case.id,
            group=case.group,
            code=step.shown,
            verdict=result.verdict,
            points=points_shown,
            max_points=worth_shown,
            visibility=session.visibility,
            explanation=self._explanation(case, result),
            expected=expected,
            got=result.got,
            transcript=result.transcript,
            source=None if frame is None else load_errors.source_line(self.submission, frame),
            cause=result.cause,
            spec_line=step.line,
            staff_evidence=result.evidence,
            pictures=maker.pictures(session, case, result),
        )

    def _explanation(self, case: Case, result: Result) -> tuple[Message, ...]:
        """Return the explanation of `result`, without hinting at `return` if None may be right."""
        match result.explanation:
            case [Message(key="wrong.none") as first, *more] if self._may_be_none(case.group):
                return replace(first, key="wrong.none_legal"), *more
        return result.explanation

    def _may_be_none(self, group: str) -> bool:
        """Return whether None is the right answer of a public case of `group`."""
        return any(
            isinstance(expectation := session.steps[case.step_index].expectation, Returns)
            and expectation.value == Atom(None)
            for session, case in self.suite.cases[group]
            if session.visibility is Visibility.PUBLIC
        )

    def _conditions(self) -> Conditions:
        return Conditions(
            suite_sha256=self.suite.sha256,
            grader_version=__version__,
            python_version=self.isolation.python_version,
            isolation=self.isolation.level,
            layers=self.isolation.layers,
            limits=self.suite.limits,
        )

    def _files(self) -> tuple[SubmissionFile, ...]:
        """Return the submission's files as they are recorded, by name."""
        submission = self.submission
        encodings = {file.name: file.encoding for file in submission.modules.values()}
        return tuple(
            SubmissionFile(
                name=name,
                size_bytes=len(data),
                sha256=hashlib.sha256(data).hexdigest(),
                encoding=encodings.get(PurePosixPath(name).name),
            )
            for name, data in sorted(submission.raw.items())  # archives list files in any order
        )


def _adjusted(rule: Rule, ruling: Ruling, groups: Mapping[str, GroupResult]) -> Ruling:
    """Return `ruling`, adjusted to the points of the function that it is about.

    A function that earned nothing passes no rule. If one passes all its cases but its rule was
    skipped, a person decides: it may detect when it is probed.
    """
    function, group = rule.about, groups.get(rule.group or "")
    if function is None or group is None:
        return ruling
    if ruling.verdict is RuleVerdict.PASSED and not group.points:
        return skipped(message("rule.not_working", function=one_line(function, 80)))
    if ruling.verdict is RuleVerdict.SKIPPED and 0 < group.max_points == group.points:
        return review(*ruling.evidence, message("rule.elsewhere"))
    return ruling
