"""Grades one submission: runs its sessions, decides each case, makes the record.

The judge is the trusted side. It knows the suite and what is expected; it sends an executor code to
run and gets observations back; it alone decides. It never imports, compiles, evaluates or
unpickles anything of a submission.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Final, TypeAlias

from grader import obstacles
from grader.advice import advice
from grader.counterexamples import Tried, counterexamples, tried_briefly
from grader.display import one_line
from grader.endless import DepthExplainer
from grader.flakes import FlakeGuard
from grader.isolation import Isolation
from grader.limits import Limits
from grader.messages import Message, message
from grader.observation import Died
from grader.obstacles import Trouble
from grader.program import Program
from grader.protocol import MAX_SUBMISSION_REPLY_BYTES
from grader.record import AdviceItem, Record
from grader.recording import Found, Recorder
from grader.rules.judging import RuleJudge, Subject, own_survey, version_asked
from grader.sandbox.nursery import Nursery
from grader.sessions import Gate, SessionRun, SessionRunner
from grader.submission import SourceFile, Submission
from grader.suite import Prints, Session, Suite
from grader.survey import Survey
from grader.trial import Budget, Finding, Trial
from grader.troubles import Troubles
from grader.verdict import Verdict, Visibility

Reseeded: TypeAlias = Callable[[], Sequence[Nursery]]
"""Gives a nursery for each of `grader.flakes.OTHER_SEEDS`; raises `ZygoteError`."""


def grade(
    suite: Suite,
    submission: Submission,
    zygote: Nursery,
    gate: Gate,
    reseeded: Reseeded | None = None,
) -> Record:
    """Return the record of `submission` on `suite`; raises `ZygoteError` when the host fails.

    With nurseries that are `reseeded`, which not every submission needs, luck earns no points.
    """
    if submission.obstacle is not None or not (submission.main or submission.parts):
        reasons = () if submission.obstacle is None else (submission.obstacle,)
        return Recorder(suite, submission, zygote.isolation).ungradable(reasons)
    submission = _with_given(suite, submission)
    program = _program(suite, submission)

    def runner(nursery: Nursery) -> SessionRunner:
        return SessionRunner(nursery, program, suite.limits, gate)

    guard = None
    if reseeded is not None:
        texts = [file.text for file in _own_files(suite, submission).values()]
        guard = FlakeGuard(suite, texts, lambda: [runner(nursery) for nursery in reseeded()])
        program.lasts = guard.suspects
    return _Grading(suite, submission, zygote.isolation, runner(zygote), guard).record()


def runner_for(suite: Suite, submission: Submission, zygote: Nursery, gate: Gate) -> SessionRunner:
    """Return what runs the sessions of `suite` on a submission that has something to run."""
    program = _program(suite, _with_given(suite, submission))
    return SessionRunner(zygote, program, suite.limits, gate)


def _with_given(suite: Suite, submission: Submission) -> Submission:
    """Return `submission` with the code that its suite gives, which wins over a file of that name.

    Who handed in the given code itself, as most do, hears nothing of it.
    """
    given = {
        name: SourceFile(name=f"{name.replace('.', '/')}.py", text=text, encoding="utf-8")
        for name, text in suite.given.items()
    }
    replaced = tuple(
        message("remark.given", file=one_line(own.name))
        for name, own in submission.modules.items()
        if name in given and own.text.strip() != given[name].text.strip()
    )
    remarks = submission.remarks + replaced
    return replace(submission, modules={**submission.modules, **given}, remarks=remarks)


def _program(suite: Suite, submission: Submission) -> Program:
    sources = {name: (file.name, file.text) for name, file in submission.modules.items()}
    # The suite's files win: a submission cannot bring an easier puzzle of its own.
    files = {**submission.data, **{name: text.encode() for name, text in suite.files.items()}}
    if not isinstance(suite.module, str):
        return Program.of(None, sources, files, suite.imports, submission.parts)
    assert submission.main is not None, "without a main file there is nothing to run"
    sources[suite.module] = (submission.main.name, submission.main.text)
    return Program.of(suite.module, sources, files, suite.imports)


def _own_files(suite: Suite, submission: Submission) -> dict[str, SourceFile]:
    """Return the student's own modules, by the name that they are imported by."""
    own = {name: file for name, file in submission.modules.items() if name not in suite.given}
    if isinstance(suite.module, str) and submission.main is not None:
        own[suite.module] = submission.main
    return own


_SLOW: Final = frozenset({Verdict.TIMED_OUT, Verdict.MEMORY, Verdict.NOT_RUN})
_MOST_HIDDEN_TIME_OUTS: Final = 6
"""After so many, cases of hidden sessions are tried on their own at once: each session would run
out of time again, and only what its cases waste is bounded by the budget."""


class _Grading:
    """One submission on its way through the sessions of a suite."""

    def __init__(
        self,
        suite: Suite,
        submission: Submission,
        isolation: Isolation,
        runner: SessionRunner,
        guard: FlakeGuard | None,
    ) -> None:
        self._suite: Final = suite
        self._submission: Final = submission
        self._recorder: Final = Recorder(suite, submission, isolation)
        self._runner: Final = runner
        self._guard: Final = guard
        self._budget: Final = Budget(suite.limits)
        self._sibling_budget: Final = Budget(suite.limits)
        self._findings: Final[dict[str, Finding]] = {}
        self._prints = False
        self._missing_names: Final[set[str]] = set()
        self._hidden_time_outs = 0
        self._troubles: Final = Troubles(suite, submission, runner)
        self._on_stand_ins: Final[dict[tuple[str, ...], SessionRunner]] = {}
        self._own_files: Final = _own_files(suite, submission)

    def record(self) -> Record:
        for number, session in enumerate(_in_turn(self._suite.sessions)):
            trial = Trial(self._runner, session, self._budget, self._stand_ins(session))
            if self._hidden_time_outs >= _MOST_HIDDEN_TIME_OUTS:
                self._findings.update(trial.on_their_own())
                continue
            run = None if self._troubles.among(session.modules) else trial.run_whole()
            self._count(session, run)
            if self._suite.modules and (run is None or not run.loaded):
                if troubles := self._troubles.everywhere():
                    evidence = next((each.died.evidence for each in troubles if each.died), None)
                    return self._recorder.ungradable(self._troubles.reasons(), evidence)
                self._findings.update(trial.unloaded(self._why_unloaded(session, run)))
                continue
            if number == 0 and (reason := self._hopeless(run)):
                return self._recorder.ungradable((reason,), _import_evidence(run))
            assert run is not None, "a program that compiled once compiles again"
            if session.visibility is Visibility.PUBLIC:
                self._prints = self._prints or _prints_unasked(session, run)
            missing = self._missing(session, run)
            self._missing_names.update(missing)
            findings: Mapping[str, Finding] = trial.findings(run, missing)
            if self._guard is not None:
                findings = self._guard.guarded(session, run, missing, findings)
            self._findings.update(self._explained(session, findings))
        remarks = self._troubles.reasons()
        if self._prints:
            remarks.append(message("remark.prints"))
        rules, advice_items = self._beyond_cases()
        record = self._recorder.graded(self._findings, remarks, rules, advice_items)
        if self._guard is not None:
            told = (*record.staff_remarks, *self._guard.staff_remarks())
            record = replace(record, staff_remarks=told)
        shown = counterexamples(self._suite, record.groups, self._tried)
        return self._recorder.with_counterexamples(record, shown)

    def _tried(self, sibling: Session) -> Tried | None:
        """Try a session that counts for nothing, for what it shows; None after too many replies."""
        if self._runner.received_bytes > MAX_SUBMISSION_REPLY_BYTES:
            return None
        if self._troubles.among(sibling.modules):
            return Tried(findings={}, died=False)
        return tried_briefly(self._suite.limits, partial(self._on_sibling, sibling))

    def _on_sibling(
        self, sibling: Session, limits: Limits
    ) -> tuple[Mapping[str, Finding], Died | None]:
        """Return what `sibling` comes to within `limits`, and how the executor died if it did."""
        stand_ins = self._stand_ins(sibling)
        replaced = None if stand_ins is None else stand_ins.within(limits)
        trial = Trial(self._runner.within(limits), sibling, self._sibling_budget, replaced)
        run = trial.run_whole()
        assert run is not None, "a program that compiled once compiles again"
        last = run.observations[-1] if run.observations else run.imported.observation
        end = last.outcome if isinstance(last.outcome, Died) else None
        if not run.loaded:
            return {}, end
        findings = trial.findings(run, self._missing(sibling, run))
        return self._explained(sibling, findings), end

    def _count(self, session: Session, run: SessionRun | None) -> None:
        """Take note of a hidden session that ran out of time as a whole."""
        if session.visibility is not Visibility.PUBLIC and run is not None and run.observations:
            match run.observations[-1].outcome:
                case Died(verdict=Verdict.TIMED_OUT):
                    self._hidden_time_outs += 1

    def _beyond_cases(self) -> tuple[Found, tuple[AdviceItem, ...]]:
        """Return what became of the rules, and the advice, as far as the suite asks for them."""
        suite = self._suite
        if not suite.rules and not suite.advice:
            return (), ()
        rules = tuple(RuleJudge(suite, self._subject(), self._runner, self._survey).findings())
        return rules, advice(self._own_files, self._survey) if suite.advice else ()

    def _explained(
        self, session: Session, findings: Mapping[str, Finding]
    ) -> Mapping[str, Finding]:
        """Return `findings`, those that the student sees of calls too deep with why they were."""
        if session.visibility is not Visibility.PUBLIC:
            return findings
        explained = dict(findings)
        for case in session.cases:
            finding = findings[case.id]
            if finding.too_deep:
                outcome = self._depths.explained(session, case, finding.outcome)
                explained[case.id] = replace(finding, outcome=outcome)
        return explained

    @cached_property
    def _depths(self) -> DepthExplainer:
        """What explains calls that went too deep; most submissions have none."""
        functions = self._survey.functions if self._survey is not None else ()
        parameters = {
            (facts.name, facts.place.line): [each.name for each in facts.parameters]
            for facts in functions
        }
        return DepthExplainer(self._runner, self._suite.limits.recursion, parameters)

    @cached_property
    def _survey(self) -> Survey | None:
        """The facts about the source, which not every submission needs; None if it has none."""
        return own_survey(self._runner, self._subject(), version_asked(self._suite))

    def _subject(self) -> Subject:
        suite = self._suite
        return Subject(
            files=self._own_files.keys(),
            parts={suite.module: suite.module}
            if isinstance(suite.module, str)
            else self._submission.parts,
            missing=self._missing_names,
            unloadable={module for module in suite.modules if self._troubles.among([module])},
            slow={
                case.partition("/")[0]
                for case, finding in self._findings.items()
                if finding.outcome.verdict in _SLOW
            },
            source_chars=sum(len(file.text) for file in self._own_files.values()),
        )

    def _stand_ins(self, session: Session) -> SessionRunner | None:
        """Return what runs the submission on the stand-ins of `session`, if it has any."""
        names = session.stand_ins
        if names and names not in self._on_stand_ins:
            sources = {name: self._suite.stand_ins[name] for name in names}
            self._on_stand_ins[names] = self._runner.on_stand_ins(sources)
        return self._on_stand_ins.get(names)

    def _why_unloaded(self, session: Session, run: SessionRun | None) -> list[Trouble]:
        if troubles := self._troubles.among(session.modules):
            return troubles
        assert run is not None, "a session is left out only for a trouble"
        return [self._troubles.together(run)]

    def _hopeless(self, run: SessionRun | None) -> Message | None:
        """Return why nothing of the submission can be run, if that is so."""
        if run is None:
            error = self._runner.compile_error
            assert error is not None, "the runner says why"
            assert self._submission.main is not None, "something was compiled"
            return obstacles.compile_failure(self._submission.main, error)
        if not run.loaded:
            return obstacles.import_failure(self._submission, run.imported.observation)
        if self._suite.modules:
            return None
        missing = obstacles.missing_names(self._suite.defines, run.imported.defined)
        if self._suite.defines and len(missing) == len(self._suite.defines):
            return obstacles.nothing_defined(missing)
        return None

    def _missing(self, session: Session, run: SessionRun) -> Mapping[str, str]:
        """Return the names that the modules of `session` lack, each with a near miss or ""."""
        wanted = (*self._suite.defines, *self._suite.helpers)
        defined = run.imported.defined
        if not self._suite.modules:
            return obstacles.missing_names(wanted, defined)
        missing: dict[str, str] = {}
        for module in session.modules:
            there, asked = _inside(module, defined), _inside(module, wanted)
            for name, near in obstacles.missing_names(asked, there).items():
                missing[f"{module}.{name}"] = f"{module}.{near}" if near else ""
        return missing


def _inside(module: str, names: Iterable[str]) -> list[str]:
    """Return the names of what is in `module`, of dotted `names`."""
    start = f"{module}."
    return [name.removeprefix(start) for name in names if name.startswith(start)]


def _in_turn(sessions: Iterable[Session]) -> list[Session]:
    """Return `sessions` with the public ones first.

    What a public session shows may then tell nothing of the others, not even by a clock: how long
    a submission lets a hidden session last is its own choice.
    """
    return sorted(sessions, key=lambda session: session.visibility is not Visibility.PUBLIC)


def _import_evidence(run: SessionRun | None) -> str | None:
    """Return how the executor died that was to load the submission, if it did."""
    outcome = None if run is None else run.imported.observation.outcome
    return outcome.evidence if isinstance(outcome, Died) else None


def _prints_unasked(session: Session, run: SessionRun) -> bool:
    return any(
        observation.stdout and not isinstance(session.steps[item.step_index].expectation, Prints)
        for item, observation in zip(run.plan, run.observations, strict=False)
        if session.steps[item.step_index].expectation is not None
    )
