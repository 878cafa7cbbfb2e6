"""Derives the suite of an exercise: examples, drafts, proof on the reference, document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.deriving.document import Pair, ProvenSession, suite_document
from grader.deriving.doubts import Doubt, SpecProblem, flattened_grids, footnote_names
from grader.deriving.drafts import Draft, Want, drafts_of, unsplit
from grader.deriving.examples import Example
from grader.deriving.reading import read_spec
from grader.deriving.reconciling import reconcile
from grader.deriving.settings import Settings
from grader.display import one_line
from grader.errors import UsageError
from grader.importable import expanded
from grader.limits import Limits
from grader.observation import Observation, Returned
from grader.planning import Item, Role, names_read
from grader.program import Program
from grader.sandbox.nursery import Nursery
from grader.sessions import Gate, SessionRunner


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """What came of deriving a suite."""

    document: Mapping[str, Any]
    """The suite as plain data, ready to be written as YAML."""
    example_count: int
    doubts: tuple[Doubt, ...]
    """In the order of their lines."""


class DerivationFailed(Exception):
    """The spec and the reference disagree; carries every problem, not just the first."""

    def __init__(self, problems: Sequence[SpecProblem]) -> None:
        """Keep the problems in the order of their lines."""
        super().__init__(f"{len(problems)} problems")
        self.problems = tuple(problems)


def derive(
    text: str, spec: str, reference: Path, settings: Settings, zygote: Nursery
) -> Derivation:
    """Return the suite that follows from the spec `text`, proven on the `reference`.

    `spec` is how the suite names the spec. Raises `DerivationFailed` with all problems, and
    `SpecProblem` for a spec without readable examples.
    """
    reading = read_spec(text)
    if not reading.sessions:
        raise SpecProblem(
            1,
            "there is no example session in this spec",
            help="examples stand at a >>> prompt at the start of a line",
        )
    runner = _reference_runner(reference, settings, zygote)
    problems = list(reading.contradictions)
    sessions = []
    for session in reading.sessions:
        examples = [
            replace(one, as_lists=one.as_lists or settings.as_lists) for one in session.examples
        ]
        drafts, observations = _settled(examples, runner)
        proven = _proven(drafts, observations, problems)
        sessions.append(ProvenSession(tuple(proven), session.is_own))
    if problems:
        raise DerivationFailed(sorted(problems, key=lambda problem: problem.line))
    lines = text.splitlines()
    doubts = [
        *reading.doubts,
        *(doubt for session in sessions for _, proof in session.pairs for doubt in proof.doubts),
        *footnote_names(lines, settings.files),
        *flattened_grids(lines),
    ]
    return Derivation(
        document=suite_document(settings, spec, sessions),
        example_count=reading.case_count,
        doubts=tuple(sorted(doubts, key=lambda doubt: doubt.line)),
    )


def _reference_runner(reference: Path, settings: Settings, zygote: Nursery) -> SessionRunner:
    sources = {
        path.stem: (path.name, _source(path)) for path in sorted(reference.parent.glob("*.py"))
    }
    sources |= {module: (file, _given(file, reference)) for module, file in settings.given.items()}
    sources[settings.module] = (reference.name, _source(reference))
    files = {name: text.encode() for name, text in settings.files.items()}
    program = Program.of(settings.module, sources, files, expanded(settings.imports))
    limits = Limits(**settings.limits.model_dump()) if settings.limits else Limits()
    return SessionRunner(zygote, program, limits, Gate())


def _given(file: str, reference: Path) -> str:
    """Return the source of `file`, which is named from a folder above the reference."""
    for folder in reference.resolve().parents:
        if (folder / file).is_file():
            return _source(folder / file)
    raise UsageError(
        f"no file {one_line(file)} for `given`",
        help="name it from the folder that holds both the reference and the suite",
    )


def _source(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{one_line(str(path))} is not UTF-8", help="save it as UTF-8") from error


def _settled(
    examples: Sequence[Example], runner: SessionRunner
) -> tuple[list[Draft], list[Observation]]:
    """Return drafts and what the reference makes of them, split only where it returns itself."""
    per_example = [drafts_of(example) for example in examples]
    observed = _observe(per_example, runner)
    rejoined = []
    identities: dict[str, int | None] = {}
    for drafts, seen in zip(per_example, observed, strict=True):
        is_chain = _returns_itself(drafts, seen, identities)
        rejoined.append(drafts if is_chain else [unsplit(drafts[0].example)])
        for observation in seen:
            if isinstance(observation.outcome, Returned):
                identities.update(observation.outcome.bound)
    if rejoined != per_example:
        observed = _observe(rejoined, runner)
    flat = [draft for drafts in rejoined for draft in drafts]
    return flat, [observation for seen in observed for observation in seen]


def _observe(per_example: Iterable[list[Draft]], runner: SessionRunner) -> list[list[Observation]]:
    groups = list(per_example)
    flat = [draft for drafts in groups for draft in drafts]
    plan = tuple(_item(draft, index) for index, draft in enumerate(flat))
    run = runner.run(plan, lockstep=True)
    if run is None or not run.loaded:
        reason = runner.compile_error or (run and run.imported.observation.outcome)
        raise SpecProblem(1, f"the reference cannot be loaded: {reason}")
    if len(run.observations) < len(flat):
        line = flat[len(run.observations)].example.line
        raise SpecProblem(line, "the reference did not get as far as this example")
    seen = iter(run.observations)
    return [[next(seen) for _ in drafts] for drafts in groups]


def _item(draft: Draft, index: int) -> Item:
    return Item(
        role=Role.STEP,
        step_index=index,
        code=draft.code,
        is_expression=draft.example.expression is not None,
        binds=draft.binds,
    )


def _returns_itself(
    drafts: Sequence[Draft], seen: Sequence[Observation], identities: Mapping[str, int | None]
) -> bool:
    """Return whether every action among `drafts` gave back the object that it was called on."""
    return all(
        isinstance(observation.outcome, Returned)
        and observation.outcome.identity is not None
        and observation.outcome.identity == identities.get(draft.same_as or "")
        for draft, observation in zip(drafts, seen, strict=True)
        if draft.want is Want.SAME
    )


def _proven(
    drafts: Sequence[Draft], observations: Sequence[Observation], problems: list[SpecProblem]
) -> list[Pair]:
    """Return each draft with what it must give; what is wrong goes to `problems`.

    Problems that only follow from another are not told.
    """
    proven = []
    unbound: set[str] = set()
    for draft, observation in zip(drafts, observations, strict=True):
        unbound -= set(draft.binds)
        follows = bool(names_read(draft.code) & unbound)
        try:
            proven.append((draft, reconcile(draft, observation)))
        except SpecProblem as problem:
            unbound |= set(draft.binds)
            if not follows:
                problems.append(problem)
    return proven
