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
    Doubt,
    SpecError,
    flattened_grids,
    footnote_names,
)
from grader.plugins.authoring.deriving.drafts import (
    Draft,
    DraftExpectation,
    as_one,
    drafts_of,
    unsplit,
)
from grader.plugins.authoring.deriving.effects import Effect, Runners, effects_of
from grader.plugins.authoring.deriving.examples import Example, without_own_imports
from grader.plugins.authoring.deriving.naming import Namer
from grader.plugins.authoring.deriving.reading import SpecReading, read_spec
from grader.plugins.authoring.deriving.reconciling import reconcile
from grader.plugins.authoring.deriving.settings import SETTINGS_NAME, ExerciseSettings
from grader.plugins.authoring.deriving.several import Modules
from grader.plugins.authoring.solutions import unloadable
from grader.sandbox.observation import Observation, Returned
from grader.sandbox.planning import Item, names_read
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.expectations import ALTERNATIVES
from grader.suite.vocabulary import expanded
from grader.values.foreign_text import one_line
from grader.values.leniency import Ignored

_DIGIT: Final = re.compile(r"\d")
_TO_STDERR: Final = re.compile(r"\bstderr\b|\blogging\b|\bwarnings\b")
_UNSEEN: Final = "what goes to standard error, as of logging, is not seen: leave it out; or {}"
_READS: Final = re.compile(r"\binput\b|\bstdin\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """The result of deriving a suite."""

    document: Mapping[str, Any]
    """The suite as plain data, ready to be written as YAML."""
    example_count: int
    session_count: int
    """The number of derived sessions, which come first."""
    doubts: tuple[Doubt, ...]
    """Sorted by line."""
    dependent: frozenset[str] = frozenset()
    """Cases that do not hold in their own sessions."""


class DerivationError(Exception):
    """The spec and the reference disagree; carries every problem, not just the first."""

    def __init__(self, problems: Sequence[SpecError]) -> None:
        """Keep the problems, which are sorted by line."""
        super().__init__(f"{len(problems)} problems")
        self.problems = tuple(problems)


def derive(
    text: str, spec: str, reference: Path, settings: ExerciseSettings, zygote: Sandbox
) -> Derivation:
    """Return the suite derived from the spec `text`, proven on the `reference`.

    `spec` is the path of the spec in the suite. Raises `DerivationError` with all problems, and
    `SpecError` for a spec without readable examples.
    """
    reading = read_spec(text, settings.flags)
    consoles = [*find_consoles(text, settings.handed_in)]
    if not (reading.sessions or consoles):
        raise SpecError(
            1,
            "this spec has no example session",
            help="write examples at a >>> prompt at the start of a line; for a program, write its "
            "output below the line that starts it, $ python NAME.py",
        )
    sources = _sources(reference, settings)
    if settings.modules:
        defines = Modules.of(sources).dotted(settings.defines)
        settings = settings.changed(defines=defines)
    sessions = _sessions(reading, consoles, sources, reference, settings, zygote)
    _check_codes(settings, sessions)
    if not (settings.sessions or any(map(_example_count, sessions))):
        raise SpecError(
            reading.sessions[0].examples[0].line,
            "no example here uses the students' code",
            help="show results of the functions and classes that `defines` lists",
        )
    sessions = [
        replace(session, pairs=tuple(_lenient(session.pairs, settings))) for session in sessions
    ]
    lines = text.splitlines()
    doubts = [
        *reading.doubts,
        *(doubt for session in sessions for _, proof in session.pairs for doubt in proof.doubts),
        *footnote_names(lines, settings.files),
        *flattened_grids(lines),
    ]
    return Derivation(
        document=suite_document(settings, spec, sessions),
        example_count=sum(map(_example_count, sessions)),
        session_count=len(sessions),
        doubts=tuple(sorted(doubts, key=lambda doubt: doubt.line)),
    )


def _sessions(
    reading: SpecReading,
    consoles: Iterable[Console],
    sources: Mapping[str, str],
    reference: Path,
    settings: ExerciseSettings,
    zygote: Sandbox,
) -> list[DerivedSession]:
    """Return the sessions of a reading, with the results of the reference.

    Raises `DerivationError` with all problems.
    """

    def runner_of(own: Mapping[str, str]) -> SessionRunner:
        return _reference_runner(reference, own, settings, zygote)

    modules = Modules.of(sources)
    runner = runner_of(sources)
    trying = Runners(runner_of(sources), runner_of(dict.fromkeys(sources, "")), modules.names)
    problems: list[SpecError] = []
    sessions: list[DerivedSession] = []
    prompts = Ignored.PROMPTS not in settings.ignore
    asks = any(_READS.search(text) for text in sources.values())  # finding typed lines costs runs
    for session in reading.sessions:
        examples = [
            replace(one, as_lists=one.as_lists or settings.as_lists, lets=settings.lets)
            for one in _without_imports(session.examples, modules, settings)
        ]
        if asks:
            examples = with_typed_lines(examples, runner, modules.names, problems, prompts=prompts)
        proven = _proven(*_settled(examples, runner, modules.names), problems)
        named, effects = _named(proven, Namer.of(sources), trying)
        found = DerivedSession(tuple(_accepting(named, settings)), session.is_own)
        sessions += modules.sessions(found, effects) if settings.modules else [found]
    for console in consoles:
        try:
            sessions.append(console_session(console, runner, prompts=prompts))
        except SpecError as problem:
            problems.append(problem)
    if problems:
        told = sorted(problems, key=lambda problem: problem.line)
        if any(_TO_STDERR.search(text) for text in sources.values()):
            told = [SpecError(one.line, one.message, help=_UNSEEN.format(one.help)) for one in told]
        raise DerivationError(told)
    return sessions


def _named(
    proven: Sequence[Pair], namer: Namer, runners: Runners
) -> tuple[list[Pair], list[Effect]]:
    """Return the `proven` drafts, named after their subjects, and the effect of each."""
    items = [_item(draft, index) for index, (draft, _) in enumerate(proven)]
    drafts = [draft for draft, _ in proven]
    effects = effects_of(drafts, items, namer.functions, runners)
    return [*namer.named(proven, effects)], effects


def _without_imports(
    examples: Iterable[Example], modules: Modules, settings: ExerciseSettings
) -> Iterable[Example]:
    """Return `examples` without imports of modules that are handed in, which steps have anyway."""
    if settings.modules:
        return modules.bound(examples)
    return [one for each in examples for one in without_own_imports(each, settings.module)]


def _example_count(session: DerivedSession) -> int:
    """Return the number of examples of the spec that are cases of `session`."""
    examples = (draft.example for draft, _ in session.pairs)
    # a split example has several drafts
    return len({(one.line, one.code) for one in examples if not one.is_setup})


def _accepting(pairs: Iterable[Pair], settings: ExerciseSettings) -> Iterator[Pair]:
    """Yield `pairs`, with the checkers that the settings name for some examples."""
    for draft, proof in pairs:
        accepts = settings.accepts.get(draft.code)
        yield draft, proof if accepts is None else replace(proof, expectation={"accepts": accepts})


def _lenient(pairs: Iterable[Pair], settings: ExerciseSettings) -> Iterator[Pair]:
    """Yield `pairs` with the `ignore`, `tolerance` and `actions` of the settings."""
    for draft, proof in pairs:
        asked = dict(proof.expectation)
        if draft.code in settings.actions:
            asked["action"] = True
        compared = [str(asked[key]) for key in ALTERNATIVES if key in asked]
        own = {Ignored(each) for each in asked.get("ignore", ())}
        # Only what reads input shows prompts.
        ignored = own | {*settings.ignore} - ({Ignored.PROMPTS} if "stdin" not in asked else set())
        if compared and ignored:
            # a set has any order, a suite the same each time
            asked["ignore"] = sorted(each.value for each in ignored)
        if settings.tolerance is not None and any(map(_DIGIT.search, compared)):
            asked.setdefault("tolerance", settings.tolerance)
        yield draft, replace(proof, expectation=asked)


def _check_codes(settings: ExerciseSettings, sessions: Iterable[DerivedSession]) -> None:
    """Raise `UsageError` if the settings name an example that does not exist."""
    codes = {draft.code for session in sessions for draft, _ in session.pairs}
    for key in ("accepts", "actions"):
        for code in getattr(settings, key):
            if code not in codes:
                raise UsageError(
                    f"`{key}` in {SETTINGS_NAME} names {one_line(code)}, which is not an example",
                    help="copy the code of the example from the spec",
                )


def _sources(reference: Path, settings: ExerciseSettings) -> dict[str, str]:
    """Return the source of each module that is handed in, by name.

    `reference` is the first of several modules, and the others are beside it.
    """
    if not settings.modules:
        return {settings.module: _source(reference)}
    return {name: _source(reference.with_name(f"{name}.py")) for name in settings.modules}


def _reference_runner(
    reference: Path, own: Mapping[str, str], settings: ExerciseSettings, zygote: Sandbox
) -> SessionRunner:
    sources = {
        # the system has them in any order
        path.stem: (path.name, _source(path))
        for path in sorted(reference.parent.glob("*.py"))
    }
    sources |= {module: (file, _given(file, reference)) for module, file in settings.given.items()}
    sources |= {module: (f"{module}.py", text) for module, text in own.items()}
    files = {name: text.encode() for name, text in settings.files.items()}
    program = Program.of(
        sources,
        files,
        expanded(settings.imports),
        binds="modules" if settings.modules else "names",
        now_s=settings.now_s,
    )
    return SessionRunner(zygote, program, settings.limits)


def _given(file: str, reference: Path) -> str:
    """Return the source of `file`, a path relative to a folder above the reference."""
    for folder in reference.resolve().parents:
        if (folder / file).is_file():
            return _source(folder / file)
    raise UsageError(
        f"`given` names the file {one_line(file)}, which does not exist",
        help="write its path relative to the folder that holds both the reference and the suite",
    )


def _source(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{one_line(str(path))} is not UTF-8", help="save it as UTF-8") from error


def _settled(
    examples: Sequence[Example], runner: SessionRunner, modules: tuple[str, ...]
) -> tuple[list[Draft], list[Observation], list[str | None]]:
    """Return drafts and their observations on the reference, split only where it returns itself.

    If a draft does not match the spec, the output that a prompt displays for each is returned too.
    """
    per_example = [
        drafts_of(example) if example.typed is None else [as_one(example)] for example in examples
    ]
    observed = _observe(per_example, runner, modules)
    rejoined = []
    identities: dict[str, int | None] = {}
    for drafts, seen in zip(per_example, observed, strict=True):
        is_chain = _returns_itself(drafts, seen, identities)
        rejoined.append(drafts if is_chain else [unsplit(drafts[0].example)])
        for observation in seen:
            if isinstance(observation.outcome, Returned):
                identities.update(observation.outcome.bound)
    if rejoined != per_example:
        observed = _observe(rejoined, runner, modules)
    flat = [draft for drafts in rejoined for draft in drafts]
    seen = [observation for group in observed for observation in group]
    displayed: list[str | None] = [None] * len(flat)
    if not all(map(_is_as_shown, flat, seen)):
        at_prompt = _observe([[draft] for draft in flat], runner, modules, displays=True)
        displayed = [
            _displayed(draft, each) for draft, (each,) in zip(flat, at_prompt, strict=True)
        ]
    return flat, seen, displayed


def _is_as_shown(draft: Draft, observation: Observation) -> bool:
    """Return whether the reference gives all of the output that the spec shows."""
    try:
        return not reconcile(draft, observation).is_part
    except SpecError:
        return False


def _displayed(draft: Draft, observation: Observation) -> str | None:
    """Return the output of `draft` at a prompt, if the spec shows output and no exception."""
    is_text = draft.lines and isinstance(observation.outcome, Returned)
    return observation.stdout if is_text else None


def _observe(
    per_example: Iterable[list[Draft]],
    runner: SessionRunner,
    modules: tuple[str, ...],
    *,
    displays: bool = False,
) -> list[list[Observation]]:
    groups = list(per_example)
    flat = [draft for drafts in groups for draft in drafts]
    plan = tuple(replace(_item(draft, i), displays=displays) for i, draft in enumerate(flat))
    run = runner.run(plan, modules=modules)
    if not run.loaded:
        advice = "fix the reference, and derive again"
        raise SpecError(1, unloadable(run.imported.observation), help=advice)
    if len(run.observations) < len(flat):
        line = flat[len(run.observations)].example.line
        advice = "run the examples above it: one does not end in time, or ends the program"
        raise SpecError(line, "the reference did not get as far as this example", help=advice)
    seen = iter(run.observations)
    return [[next(seen) for _ in drafts] for drafts in groups]


def _item(draft: Draft, index: int) -> Item:
    return Item(
        step_index=index,
        code=draft.code if draft.example.typed is None else draft.example.sent,
        is_expression=draft.example.expression is not None,
        binds=draft.binds,
    )


def _returns_itself(
    drafts: Sequence[Draft], seen: Sequence[Observation], identities: Mapping[str, int | None]
) -> bool:
    """Return whether every action among `drafts` returned the object that it was called on."""
    return all(
        isinstance(observation.outcome, Returned)
        and observation.outcome.identity is not None
        and observation.outcome.identity == identities.get(draft.same_as or "")
        for draft, observation in zip(drafts, seen, strict=True)
        if draft.want is DraftExpectation.SAME
    )


def _proven(
    drafts: Sequence[Draft],
    observations: Sequence[Observation],
    displayed: Sequence[str | None],
    problems: list[SpecError],
) -> list[Pair]:
    """Return each draft with its proof; append mismatches to `problems`.

    Problems that follow from another one are left out.
    """
    proven = []
    unbound: set[str] = set()
    for draft, observation, text in zip(drafts, observations, displayed, strict=True):
        unbound -= set(draft.binds)
        follows = bool(names_read(draft.code) & unbound)
        try:
            proven.append((draft, reconcile(draft, observation, text)))
        except SpecError as problem:
            unbound |= set(draft.binds)
            if not follows:
                problems.append(problem)
    return proven
