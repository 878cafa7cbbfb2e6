"""Derives the suite of an exercise: examples, drafts, proof on the reference, document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from grader.errors import UsageError
from grader.plugins.authoring.deriving.consoles import (
    Console,
    console_session,
    find_consoles,
    with_typed_lines,
)
from grader.plugins.authoring.deriving.document import DerivedSession, Pair, suite_document
from grader.plugins.authoring.deriving.doubts import (
    DerivationError,
    Doubt,
    SpecError,
    flattened_grids,
    footnote_names,
)
from grader.plugins.authoring.deriving.drafts import (
    Draft,
    DraftExpectation,
    as_single_draft,
    drafts_of,
    unsplit_draft,
)
from grader.plugins.authoring.deriving.effects import Effect, Runners, effects_of
from grader.plugins.authoring.deriving.examples import Example, without_submission_imports
from grader.plugins.authoring.deriving.naming import Namer
from grader.plugins.authoring.deriving.reading import SpecReading, read_spec
from grader.plugins.authoring.deriving.reconciling import reconcile
from grader.plugins.authoring.deriving.settings import SETTINGS_NAME, ExerciseSettings
from grader.plugins.authoring.deriving.submission_modules import Modules
from grader.plugins.authoring.exercise import read_utf8
from grader.plugins.authoring.solutions import loading_failure
from grader.sandbox.observation import Observation, Returned
from grader.sandbox.planning import read_names
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.vocabulary import expand_imports
from grader.values.foreign_text import one_line
from grader.values.leniency import Ignored

_STDERR_MENTION: Final = re.compile(r"\bstderr\b|\blogging\b|\bwarnings\b")
_STDERR_ADVICE: Final = (
    "do not show output to standard error, such as logging: it is not recorded; or {}"
)
_INPUT_MENTION: Final = re.compile(r"\binput\b|\bstdin\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """The result of deriving a suite."""

    document: Mapping[str, Any]
    """The suite as plain data, ready to be written as YAML."""
    example_count: int
    session_count: int
    """The number of derived sessions, which precede handwritten ones."""
    doubts: tuple[Doubt, ...]
    """The doubts about the spec, sorted by line."""
    dependent: frozenset[str] = frozenset()
    """The ids of cases that fail when they run in their own sessions."""


def derive(
    text: str, spec: str, reference: Path, settings: ExerciseSettings, zygote: Sandbox
) -> Derivation:
    """Return the suite derived from the spec `text`, proven on the `reference`.

    `spec` is the path of the spec, as it is to be written in the suite. Raises `DerivationError`
    with all problems if the spec and the reference disagree. Raises `SpecError` if the spec has no
    usable examples, or if the reference cannot be loaded or does not reach an example. Raises
    `UsageError` if the settings do not fit the spec, or a file is missing or is not UTF-8.
    """
    reading = read_spec(text, settings.doctest_flags)
    consoles = [*find_consoles(text, settings.submitted_modules)]
    if not (reading.sessions or consoles):
        raise SpecError(
            1,
            "this spec has no example session",
            help="write examples at a >>> prompt at the start of a line, or write the output of a "
            "program below the command that starts it: $ python NAME.py",
        )
    sources = _read_sources(reference, settings)
    if settings.modules:
        defines = Modules.of(sources).qualify_names(settings.defines)
        settings = settings.with_changes(defines=defines)
    sessions = _derive_sessions(reading, consoles, sources, reference, settings, zygote)
    _check_codes(settings, sessions)
    if not (settings.sessions or any(session.example_count for session in sessions)):
        raise SpecError(
            reading.sessions[0].examples[0].line,
            "no example in this spec uses the students' code",
            help="show results of the functions and classes that `defines` lists",
        )
    lines = text.splitlines()
    doubts = [
        *reading.doubts,
        *(doubt for session in sessions for _, proof in session.pairs for doubt in proof.doubts),
        *footnote_names(lines, settings.files),
        *flattened_grids(lines),
    ]
    return Derivation(
        document=suite_document(settings, spec, sessions),
        example_count=sum(session.example_count for session in sessions),
        session_count=len(sessions),
        doubts=tuple(sorted(doubts, key=lambda doubt: doubt.line)),
    )


def _derive_sessions(
    reading: SpecReading,
    consoles: Iterable[Console],
    sources: Mapping[str, str],
    reference: Path,
    settings: ExerciseSettings,
    zygote: Sandbox,
) -> list[DerivedSession]:
    """Run all examples on the reference, and return the sessions of the suite.

    Raises `DerivationError` with all problems if the spec and the reference disagree.
    """

    def runner_of(handed_in: Mapping[str, str]) -> SessionRunner:
        return _reference_runner(reference, handed_in, settings, zygote)

    modules = Modules.of(sources)
    runner = runner_of(sources)
    effect_runners = Runners(
        runner_of(sources), runner_of(dict.fromkeys(sources, "")), modules.names
    )
    problems: list[SpecError] = []
    sessions: list[DerivedSession] = []
    prompts = Ignored.PROMPTS not in settings.ignore
    # Typed lines are searched for only if a module might read input, because searching costs runs.
    reads_input = any(_INPUT_MENTION.search(text) for text in sources.values())
    for session in reading.sessions:
        examples = [
            replace(
                example,
                as_lists=example.as_lists or settings.as_lists,
                author_leniency=settings.leniency,
            )
            for example in _without_imports(session.examples, modules, settings)
        ]
        if reads_input:
            examples = with_typed_lines(examples, runner, modules.names, problems, prompts=prompts)
        proven = _reconcile_all(*_split_and_run(examples, runner, modules.names), problems)
        named_pairs, effects = _name_subjects(proven, Namer.of(sources), effect_runners)
        derived = DerivedSession(tuple(_with_checkers(named_pairs, settings)), session.is_separate)
        sessions += modules.sessions(derived, effects) if settings.modules else [derived]
    for console in consoles:
        try:
            sessions.append(console_session(console, runner, prompts=prompts))
        except SpecError as problem:
            problems.append(problem)
    if problems:
        raise _derivation_error(problems, sources)
    return sessions


def _derivation_error(problems: Iterable[SpecError], sources: Mapping[str, str]) -> DerivationError:
    """Return the error with all `problems`, in the order of the spec's lines."""
    sorted_problems = sorted(problems, key=lambda problem: problem.line)
    # A terminal also shows output to standard error, so the spec might contain it.
    if any(_STDERR_MENTION.search(text) for text in sources.values()):
        sorted_problems = [
            SpecError(problem.line, problem.message, help=_STDERR_ADVICE.format(problem.help))
            for problem in sorted_problems
        ]
    return DerivationError(sorted_problems)


def _name_subjects(
    proven: Sequence[Pair], namer: Namer, runners: Runners
) -> tuple[list[Pair], list[Effect]]:
    """Return the `proven` drafts with their subjects, and the effect of each step."""
    items = [draft.item(index) for index, (draft, _) in enumerate(proven)]
    effects = effects_of([draft for draft, _ in proven], items, namer.functions, runners)
    return [*namer.add_subjects(proven, effects)], effects


def _without_imports(
    examples: Iterable[Example], modules: Modules, settings: ExerciseSettings
) -> Iterable[Example]:
    """Return `examples` without imports of the students' modules.

    Steps of a suite can use these modules or their names without an import.
    """
    if settings.modules:
        return modules.bind_names(examples)
    return [
        remaining
        for example in examples
        for remaining in without_submission_imports(example, settings.module)
    ]


def _with_checkers(pairs: Iterable[Pair], settings: ExerciseSettings) -> Iterator[Pair]:
    """Yield `pairs`, with a checker as the expectation where the settings have one for the code."""
    for draft, proof in pairs:
        accepts = settings.accepts.get(draft.code)
        yield draft, proof if accepts is None else replace(proof, expectation={"accepts": accepts})


def _check_codes(settings: ExerciseSettings, sessions: Iterable[DerivedSession]) -> None:
    """Raise `UsageError` if `accepts` or `actions` in the settings names no example."""
    codes = {draft.code for session in sessions for draft, _ in session.pairs}
    for key in ("accepts", "actions"):
        for code in getattr(settings, key):
            if code not in codes:
                raise UsageError(
                    f"`{key}` in {SETTINGS_NAME} lists {one_line(code)}, which is not an example",
                    help="copy the code of an example from the spec, or remove it",
                )


def _read_sources(reference: Path, settings: ExerciseSettings) -> dict[str, str]:
    """Return the source of each module that is handed in, as a dict keyed by name.

    `reference` is the path of the first module. The others are in the same folder.
    """
    if not settings.modules:
        return {settings.module: read_utf8(reference)}
    return {name: read_utf8(reference.with_name(f"{name}.py")) for name in settings.modules}


def _reference_runner(
    reference: Path, handed_in: Mapping[str, str], settings: ExerciseSettings, zygote: Sandbox
) -> SessionRunner:
    """Return a runner for the `handed_in` sources, together with all code that the suite provides.

    That is the code in the folder of the `reference`, and the modules that the settings list as
    `given`. Raises `UsageError` if one of their files does not exist or is not UTF-8.
    """
    sources = {
        # Sorted, because the file system lists files in no particular order.
        path.stem: (path.name, read_utf8(path))
        for path in sorted(reference.parent.glob("*.py"))
    }
    sources |= {
        module: (file, _read_given(file, reference)) for module, file in settings.given.items()
    }
    sources |= {module: (f"{module}.py", text) for module, text in handed_in.items()}
    program = Program.from_sources(
        sources,
        {name: text.encode() for name, text in settings.files.items()},
        expand_imports(settings.imports),
        binds="modules" if settings.modules else "names",
        now_s=settings.now_s,
    )
    return SessionRunner(zygote, program, settings.limits)


def _read_given(file: str, reference: Path) -> str:
    """Return the source of `file`, a path relative to a folder above the reference.

    The nearest folder that has the file counts. Raises `UsageError` if none of them has it.
    """
    for folder in reference.resolve().parents:
        if (folder / file).is_file():
            return read_utf8(folder / file)
    raise UsageError(
        f"`given` in {SETTINGS_NAME} lists the file {one_line(file)}, which does not exist",
        help="write its path relative to the folder that contains both the reference and the suite",
    )


def _split_and_run(
    examples: Sequence[Example], runner: SessionRunner, modules: tuple[str, ...]
) -> tuple[list[Draft], list[Observation], list[str | None]]:
    """Run `examples`, and return their drafts, with an observation and a displayed output for each.

    A chain of actions is split into several drafts only if each action returns the object that it
    was called on. A displayed output is what a prompt shows for the draft. All displayed outputs
    are None if every draft matches the spec. Raises `SpecError` if an example is not reached.
    """
    per_example = [
        drafts_of(example) if example.input_text is None else [as_single_draft(example)]
        for example in examples
    ]
    observed = _observe(per_example, runner, modules)
    rejoined = []
    identities: dict[str, int | None] = {}
    for drafts, group in zip(per_example, observed, strict=True):
        is_chain = _actions_return_self(drafts, group, identities)
        rejoined.append(drafts if is_chain else [unsplit_draft(drafts[0].example)])
        for observation in group:
            if isinstance(observation.outcome, Returned):
                identities.update(observation.outcome.bound)
    if rejoined != per_example:  # other drafts need their own observations
        observed = _observe(rejoined, runner, modules)
    drafts_in_order = [draft for drafts in rejoined for draft in drafts]
    observations = [observation for group in observed for observation in group]
    displayed: list[str | None] = [None] * len(drafts_in_order)
    if not all(map(_matches_spec, drafts_in_order, observations)):
        prompt_runs = _observe(
            [[draft] for draft in drafts_in_order], runner, modules, displays=True
        )
        displayed = [
            _displayed_output(draft, observation)
            for draft, (observation,) in zip(drafts_in_order, prompt_runs, strict=True)
        ]
    return drafts_in_order, observations, displayed


def _matches_spec(draft: Draft, observation: Observation) -> bool:
    """Return whether the reference reproduces all of the output that the spec shows."""
    try:
        return not reconcile(draft, observation).is_partial
    except SpecError:
        return False


def _displayed_output(draft: Draft, observation: Observation) -> str | None:
    """Return the output at a prompt, or None if the spec shows none or `draft` raises."""
    is_text = draft.lines and isinstance(observation.outcome, Returned)
    return observation.stdout if is_text else None


def _observe(
    per_example: Iterable[list[Draft]],
    runner: SessionRunner,
    modules: tuple[str, ...],
    *,
    displays: bool = False,
) -> list[list[Observation]]:
    """Run all drafts in one session, and return the observations of each example.

    With `displays`, run them as at a prompt. Raises `SpecError` if the reference cannot be loaded,
    or if a draft is not reached.
    """
    groups = list(per_example)
    flat = [draft for drafts in groups for draft in drafts]
    plan = tuple(replace(draft.item(i), displays=displays) for i, draft in enumerate(flat))
    run = runner.run(plan, modules=modules)
    if not run.is_loaded:
        message = loading_failure(run.imported.observation)
        raise SpecError(1, message, help="fix the reference, and derive again")
    if len(run.observations) < len(flat):
        line = flat[len(run.observations)].example.line
        advice = "correct an example above this one: it ends the program, or does not end in time"
        raise SpecError(line, "the reference did not reach this example", help=advice)
    remaining = iter(run.observations)
    return [[next(remaining) for _ in drafts] for drafts in groups]


def _actions_return_self(
    drafts: Sequence[Draft],
    observations: Sequence[Observation],
    identities: Mapping[str, int | None],
) -> bool:
    """Return whether every action among `drafts` returned the object that it was called on.

    `identities` has the identities of the objects bound to names.
    """
    return all(
        isinstance(observation.outcome, Returned)
        and observation.outcome.identity is not None
        and observation.outcome.identity == identities.get(draft.same_as or "")
        for draft, observation in zip(drafts, observations, strict=True)
        if draft.want is DraftExpectation.SAME
    )


def _reconcile_all(
    drafts: Sequence[Draft],
    observations: Sequence[Observation],
    displayed: Sequence[str | None],
    problems: list[SpecError],
) -> list[Pair]:
    """Return each draft that the reference confirms, with its expectation.

    Mismatches are appended to `problems`, unless the draft uses a name that an earlier wrong draft
    should have bound.
    """
    proven = []
    unbound: set[str] = set()
    for draft, observation, text in zip(drafts, observations, displayed, strict=True):
        unbound -= set(draft.binds)
        is_consequence = bool(read_names(draft.code) & unbound)
        try:
            proven.append((draft, reconcile(draft, observation, text)))
        except SpecError as problem:
            unbound |= set(draft.binds)
            if not is_consequence:
                problems.append(problem)
    return proven
