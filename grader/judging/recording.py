"""Builds the record of a submission from the results of its cases and rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from grader import __version__
from grader.intake.submission import SourceFile, Submission
from grader.judging import load_errors
from grader.judging.counterexamples import Counterexample, failed_clauses, with_example_first
from grader.judging.hard_coding import hard_coding_remarks
from grader.judging.lateness import late_result
from grader.judging.passed_results import passed_group, plain_passed_case
from grader.judging.picture_making import AnyPictureMaker, picture_maker
from grader.judging.printing import expected_text
from grader.judging.record import (
    Advice,
    CaseResult,
    Conditions,
    GroupResult,
    Record,
    RuleHit,
    RuleResult,
)
from grader.judging.results import (
    PASSED,
    Hit,
    Result,
    Results,
    Ruling,
    ScoredCase,
    adjust_to_points,
    case_worths,
    exact,
    hidden_tally,
    penalties,
    points_earned,
    round_points,
)
from grader.judging.source_texts import source_texts, submission_files
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
"""Each rule with the ruling on it, in the order of the suite."""


@dataclass(frozen=True, slots=True)
class Recorder:
    """Builds records of one submission on one suite."""

    suite: Suite
    submission: Submission
    isolation: Isolation

    def graded_record(
        self,
        results: Results,
        remarks: Sequence[Message],
        rules: Rulings = (),
        advice: tuple[Advice, ...] = (),
        given_lines: Mapping[str, Collection[int]] | None = None,
        stops: Sequence[Message] = (),
    ) -> Record:
        """Return the record of a submission with the `results` of all cases.

        `given_lines` maps files to the lines that are not the student's work. `stops` has messages
        about modules that stopped: they become remarks, or a rule result that can cost points. If
        any case is a FAULT, the record has status FAULT, and the submission has to be graded again.
        """
        if self.suite.stopped == STOPS_COST_NOTHING:
            remarks = (*stops, *remarks)
        status, remarks = Status.GRADED, self._remarks(remarks)
        if any(result.verdict is Verdict.FAULT for result in results.values()):
            status, remarks = Status.FAULT, (message("fault.ours"), *remarks)
        record = self._record(status, results, remarks, rules, advice, stops)
        staff_remarks = (
            *self._staff_remarks(status, results, given_lines),
            *unnamed_packages(remarks, results),
        )
        return replace(record, staff_remarks=staff_remarks)

    def _remarks(self, session_remarks: Sequence[Message]) -> tuple[Message, ...]:
        """Return all remarks to the student: about files, from sessions, and published readings."""
        readings = [
            message("remark.reading", reading=one_line(reading))
            for reading in self.suite.published_readings
        ]
        file_remarks = self._file_remarks()
        return (*file_remarks, *session_remarks, *readings)

    def _file_remarks(self) -> list[Message]:
        """Return the remarks about files, except about notebooks if the suite accepts them."""
        accepts_notebooks = self.suite.notebooks
        return [
            remark
            for remark in self.submission.remarks
            if not (accepts_notebooks and remark.key == "remark.notebook")
        ]

    def ungradable_record(self, reasons: Sequence[Message], evidence: str | None = None) -> Record:
        """Return the record of a submission that cannot be run for the given `reasons`.

        `evidence` is shown to staff only.
        """
        explanation = (message("skipped.ungradable"),)
        result = Result(verdict=Verdict.SKIPPED, explanation=explanation, evidence=evidence)
        results = dict.fromkeys(self._all_case_ids(), result)
        record = self._record(Status.UNGRADABLE, results, (*reasons, *self._file_remarks()))
        return replace(record, staff_remarks=tuple(unnamed_packages(reasons, results)))

    def fault_record(self, evidence: str) -> Record:
        """Return the record of a submission that we failed to grade, with `evidence` for staff."""
        apology = message("fault.ours")
        result = Result(verdict=Verdict.FAULT, explanation=(apology,), evidence=evidence)
        results = dict.fromkeys(self._all_case_ids(), result)
        return self._record(Status.FAULT, results, (apology, *self.submission.remarks))

    def with_counterexamples(
        self, record: Record, examples: Mapping[str, Counterexample | None]
    ) -> Record:
        """Return `record` with counterexamples added to its groups.

        `examples` maps ids of searched groups to counterexamples, or to None if there is none.
        """
        # Pictures that are already in the record count towards its limit.
        maker = picture_maker(
            self.suite, (picture for case in record.cases for picture in case.pictures)
        )
        groups = []
        for group in record.groups:
            case_result, clauses = None, group.clauses
            if (example := examples.get(group.id)) is not None:
                case_result = replace(self._example(example, maker), id=example.session.id)
                clauses = with_example_first(self.suite, example, clauses)
            new_group = replace(group, counterexample=case_result, clauses=clauses)
            groups.append(replace(new_group, searched=group.id in examples))
        return replace(record, groups=tuple(groups))

    def example(self, example: Counterexample) -> CaseResult:
        """Return the case result for `example`, which is worth no points."""
        return self._example(example, picture_maker(self.suite))

    def _example(self, example: Counterexample, maker: AnyPictureMaker) -> CaseResult:
        """Return the case result for `example`, with pictures from `maker`."""
        no_points = (Fraction(0), Fraction(0))
        return self._case_result(example.session, example.case, example.result, no_points, maker)

    def _all_case_ids(self) -> Iterator[str]:
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
        """Return the record, with points computed from `results`, `rules`, `stops` and lateness."""
        maker = picture_maker(self.suite)
        groups = [self._group_result(group, results, maker) for group in self.suite.groups]
        max_score = sum(result.max_points for _, result in groups)
        score, rule_results = self._apply_rules(groups, rules, stops)
        if self.submission.lateness is not None:
            # Lateness comes last, because it is a deduction from what rules and stops have left.
            deduction, lateness_result = late_result(
                self.submission.lateness, score, exact(max_score)
            )
            score -= deduction
            rule_results.append(lateness_result)
        return Record(
            id=self.submission.student,
            student=self.submission.student,
            exercise=self.suite.exercise,
            title=self.suite.title,
            language=self.suite.language,
            also_in=tuple(code for code in self.suite.also_in if code != self.suite.language),
            spec=self.suite.spec,
            spec_url=self.suite.spec_url,
            site_url=self.suite.site_url or "",
            contact=self.suite.contact or "",
            # Sorted, so that equal records are byte-identical.
            wording=tuple(sorted(self.suite.wording.items())),
            status=status,
            score=round_points(score),
            max_score=max_score,
            remarks=remarks,
            groups=tuple(result for _, result in groups),
            files=submission_files(self.submission),
            conditions=self._conditions(),
            rules=tuple(rule_results),
            advice=advice,
            sources=tuple(source_texts(self._files_in_order())),
        )

    def _apply_rules(
        self,
        groups: Sequence[tuple[Fraction, GroupResult]],
        rules: Rulings,
        stops: Sequence[Message],
    ) -> tuple[Fraction, list[RuleResult]]:
        """Return the exact score after deductions for `rules` and `stops`, and their results.

        `groups` has the exact points of each group with its result.
        """
        points = {result.id: points for points, result in groups}
        by_id = {result.id: result for _, result in groups}
        rules = [(rule, adjust_to_points(rule, ruling, by_id)) for rule, ruling in rules]
        broken = (rule for rule, ruling in rules if ruling.verdict is RuleVerdict.BROKEN)
        costs = penalties(broken, points)
        score = sum(points.values(), start=Fraction(0)) - sum(costs.values(), start=Fraction(0))
        results = [
            self._rule_result(rule, ruling, costs.get(rule.id, Fraction(0)))
            for rule, ruling in rules
        ]
        deduction, stops_result = stop_result(self.suite.stopped, score, stops)
        results += [] if stops_result is None else [stops_result]
        return score - deduction, results

    def _staff_remarks(
        self, status: Status, results: Results, given_lines: Mapping[str, Collection[int]] | None
    ) -> tuple[Message, ...]:
        """Return remarks for staff about hard-coded answers; () unless the status is GRADED."""
        if status is not Status.GRADED:
            return ()
        verdicts = {case: result.verdict for case, result in results.items()}
        return tuple(hard_coding_remarks(self.suite, verdicts, self._files_in_order(), given_lines))

    @property
    def student_files(self) -> dict[str, SourceFile]:
        """The modules that the student wrote, keyed by import name."""
        modules, given_modules = self.submission.modules, self.suite.given
        return {name: file for name, file in modules.items() if name not in given_modules}

    def _files_in_order(self) -> list[SourceFile]:
        """Return the student's code files, starting with the modules of the exercise."""
        exercise_modules, student_files = {*self.submission.parts.values()}, self.student_files
        return [
            student_files[name]
            for name in sorted(student_files, key=lambda name: (name not in exercise_modules, name))
        ]

    def _rule_result(self, rule: Rule, ruling: Ruling, cost: Fraction) -> RuleResult:
        """Return the result of `rule` for the record; breaking it costs `cost` points."""
        return RuleResult(
            id=rule.id,
            verdict=ruling.verdict,
            demand=rule.sentence(),
            evidence=ruling.evidence,
            penalty=round_points(cost),
            costs=rule.costs_points,
            function=rule.about,
            group=rule.group,
            hits=tuple(self._hits(ruling.hits)),
            table=ruling.table,
            spec_line=rule.line,
        )

    def _hits(self, hits: Iterable[Hit]) -> Iterator[RuleHit]:
        """Yield `hits` for the record, with file names and the text of the lines.

        Hits in modules that the submission does not contain are left out.
        """
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

    def _group_result(
        self, group: Group, results: Results, maker: AnyPictureMaker
    ) -> tuple[Fraction, GroupResult]:
        """Return the exact points that `group` earned, and its result."""
        cases = self.suite.cases[group.id]
        # Identity is compared because only the shared PASSED has no explanation.
        if all(results[case.id] is PASSED for _, case in cases):
            return exact(group.points), passed_group(self.suite, group)
        # Helpers are optional: without the helper, its group is worth no points and costs none.
        is_counted = not any(results[case.id].cause in self.suite.helpers for _, case in cases)
        max_points = group.points if is_counted else 0.0
        scored_cases = [
            ScoredCase(session.visibility, session.steps[case.step_index].clause)
            for session, case in cases
        ]
        worths = case_worths(max_points, scored_cases, self.suite.hidden_share)
        case_results = [results[case.id] for _, case in cases]
        points = points_earned(worths, scored_cases, case_results)
        recorded_cases = [
            self._case_result(session, case, results[case.id], (worth, case_points), maker)
            for (session, case), worth, case_points in zip(cases, worths, points, strict=True)
        ]
        shows_clauses = self.suite.feedback is not Feedback.COUNT
        # Adding fractions is slow and most cases pass, so only the lost points are summed.
        lost_points = (w - p for w, p in zip(worths, points, strict=True) if p is not w)
        earned_points = exact(max_points) - sum(lost_points, start=Fraction(0))
        return earned_points, GroupResult(
            id=group.id,
            title=group.title,
            points=round_points(earned_points),
            max_points=max_points,
            cases=tuple(recorded_cases),
            hidden=hidden_tally(scored_cases, case_results),
            clauses=failed_clauses(self.suite, recorded_cases) if shows_clauses else (),
        )

    def _case_result(
        self,
        session: Session,
        case: Case,
        result: Result,
        worth_and_earned: tuple[Fraction, Fraction],
        maker: AnyPictureMaker,
    ) -> CaseResult:
        """Return the result of `case`; `worth_and_earned` are its worth and its earned points."""
        worth, earned_points = worth_and_earned
        worth_shown = round_points(worth)
        # Full credit is the worth itself (see `points_earned`), and needs no second rounding.
        points_shown = worth_shown if earned_points is worth else round_points(earned_points)
        if result is PASSED:
            # Most cases pass like this, so the whole class shares one object.
            return plain_passed_case(session, case, points_shown, worth_shown)
        step = session.steps[case.step_index]
        expected = result.expected
        if expected is None and step.expectation is not None and not result.passed:
            expected = expected_text(step.expectation)
        frame = result.frame
        return CaseResult(
            id=case.id,
            group=case.group,
            code=step.display_text,
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
        """Return the explanation of `result`, without hinting at `return` if None can be right."""
        match result.explanation:
            case [Message(key="wrong.none") as first, *details] if self._may_be_none(case.group):
                return replace(first, key="wrong.none_legal"), *details
        return result.explanation

    def _may_be_none(self, group: str) -> bool:
        """Return whether None is the expected answer of any public case of `group`."""
        # Only public cases count: the hint must not reveal what hidden cases expect.
        return any(
            isinstance(expectation := session.steps[case.step_index].expectation, Returns)
            and expectation.value == Atom(None)
            for session, case in self.suite.cases[group]
            if session.visibility is Visibility.PUBLIC
        )

    def _conditions(self) -> Conditions:
        """Return the conditions of grading for the record."""
        return Conditions(
            suite_sha256=self.suite.sha256,
            grader_version=__version__,
            python_version=self.isolation.python_version,
            isolation=self.isolation.level,
            layers=self.isolation.layers,
            limits=self.suite.limits,
        )
