"""Loads a generator: code of a course, which runs in executors and never in the judge.

Its scenes come back as text, and are validated like any input. So a course from a colleague or a
pull request can be tried without trusting its code.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from grader.errors import SuiteError
from grader.judging.printing import exception_text
from grader.plugins.authoring import generating
from grader.plugins.authoring.generating import scenes, telling
from grader.plugins.authoring.generating.scenes import (
    Draws,
    Generator,
    HiddenGroup,
    PlacedClause,
    Scene,
)
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Item
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits
from grader.suite.vocabulary import GIVABLE_PACKAGES, STANDARD
from grader.values.foreign_text import one_line
from grader.values.tree import Atom

LIMITS: Final = Limits(
    cpu_s=20.0,
    session_cpu_s=60.0,
    submission_cpu_s=180.0,
    wall_s=120.0,
    session_wall_s=300.0,
    submission_wall_s=900.0,
    memory_bytes=1024 * 1024 * 1024,
    value_chars=300_000,
)
"""The limits of a generator for one draw: ample, but it must end."""
MAX_PARTS: Final = 16
"""The largest text of one draw, in parts: some 10,000 scenes."""
MAX_FILES: Final = 200
MAX_FILE_BYTES: Final = 1024 * 1024
ADVICE: Final = (
    "write a module that defines GENERATOR beside the reference; see the how-to for authors"
)
_TELLING: Final = "telling_of_a_generator"
"""The name of our module among those of the course."""
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """The attributes of a generator that need no draw."""

    version: int
    clauses: dict[str, PlacedClause]
    groups: tuple[HiddenGroup, ...]


_FACTS: Final = TypeAdapter(_Facts)
_SCENES: Final = TypeAdapter(tuple[Scene, ...])


def load_generator(path: Path, sandbox: Sandbox) -> Generator:
    """Return the `GENERATOR` of the module at `path`, whose code runs in `sandbox`.

    Its scenes are drawn on demand. Raises `SuiteError` if there is no generator.
    """
    if not path.is_file():
        raise SuiteError(f"no generator at {one_line(str(path))}", help=ADVICE)
    remote = _Remote(path, sandbox)
    facts = remote.made(_FACTS, "facts_part")
    return Generator(
        version=facts.version,
        clauses=facts.clauses,
        groups=facts.groups,
        scenes=lambda draws: remote.scenes("scenes", draws),
        examples=lambda draws: remote.scenes("examples", draws),
    )


class _Remote:
    """A generator that runs in executors, a new one for each call."""

    def __init__(self, path: Path, sandbox: Sandbox) -> None:
        self._named: Final = f"the generator {one_line(str(path))}"
        ours = {
            # The executor cannot import our packages, so their source is sent.
            each.__name__: (f"{each.__name__}.py", inspect.getsource(each))
            for each in (generating, scenes)
        }
        program = Program.of(
            {
                **dict(self._modules(path)),
                **ours,
                _TELLING: (f"{_TELLING}.py", inspect.getsource(telling)),
            },
            {},
            (*STANDARD, *GIVABLE_PACKAGES),
            binds="modules",
        )
        program.lasts = True  # each draw runs it again
        self._runner: Final = SessionRunner(sandbox, program, LIMITS)

    def scenes(self, kind: str, draws: Draws) -> tuple[Scene, ...]:
        """Return the scenes of a `kind`, an attribute of generators. Raises `SuiteError`."""
        return self.made(_SCENES, "scenes_part", kind, draws.seed)

    def made(self, form: TypeAdapter[_Made], function: str, *given: str) -> _Made:
        """Return the result of a function of our module, joined from parts, as a `form`."""
        plan = tuple(
            Item(
                step_index=number,
                code=f"{_TELLING}.{function}({', '.join(map(repr, (number, *given)))})",
            )
            # One part more than allowed shows that there is too much.
            for number in range(MAX_PARTS + 1)
        )
        run = self._runner.run(plan, modules=(_TELLING,))
        seen = run.observations if run.loaded else [run.imported.observation]
        text = "".join(map(self._text, seen))
        if len(text) > MAX_PARTS * telling.PART_CHARS:
            raise SuiteError(
                f"{self._named} draws too much text at once",
                help="draw fewer or smaller scenes",
            )
        try:
            return form.validate_json(text, strict=True)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_context=False)[0]
            where = ".".join(map(str, problem["loc"]))
            raise self._unusable(f"{one_line(where)}: {one_line(problem['msg'])}") from error

    def _text(self, seen: Observation) -> str:
        if isinstance(seen.outcome, Returned):
            if isinstance(seen.outcome.value, Atom) and isinstance(seen.outcome.value.value, str):
                return seen.outcome.value.value
            raise SuiteError(f"{self._named} does not define GENERATOR", help=ADVICE)
        raise self._unusable(_why(seen.outcome))

    def _unusable(self, why: str) -> SuiteError:
        return SuiteError(f"{self._named} cannot be used: {why}")

    def _modules(self, path: Path) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield the generator at `path`, and the modules beside it, which it can import."""
        yield "generator", ("generator.py", path.read_text(encoding="utf-8", errors="replace"))
        for file in islice(_neighbours(path.parent), MAX_FILES):
            # A link could lead to any file of this machine.
            if file != path and not file.is_symlink() and file.is_file():
                inner = file.relative_to(path.parent).with_suffix("")
                name = ".".join(inner.parts).removesuffix(".__init__")
                with file.open("rb") as opened:
                    text = opened.read(MAX_FILE_BYTES).decode(errors="replace")
                yield name, (f"{inner.as_posix()}.py", text)


def _why(outcome: Raised | Died) -> str:
    """Return how a call failed, with the line of an exception."""
    if isinstance(outcome, Died):
        return f"{outcome.verdict.value}, {one_line(outcome.evidence)}"
    frame = outcome.frames[-1] if outcome.frames else None
    place = f", {one_line(frame.file)}:{frame.line}" if frame else ""
    return f"{one_line(exception_text(outcome))}{place}"


def _neighbours(folder: Path) -> Iterator[Path]:
    """Yield the modules in `folder` and in its packages."""
    yield from sorted(folder.glob("*.py"))
    for package in sorted(folder.glob("*/__init__.py")):
        yield from _neighbours(package.parent)
