"""Loads a generator, which is code from a course and runs in executors, never in the judge.

Its scenes are returned as text and validated like any input. So a course from a colleague or from
a pull request can be tried without trusting its code.
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
from grader.plugins.authoring.generating import generator_calls, scenes
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
from grader.suite.vocabulary import GIVABLE_PACKAGES, STANDARD_MODULES
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
"""The limits of one draw of a generator. They are generous, but finite."""
MAX_PARTS: Final = 16
"""The largest number of parts in the text of one draw: some 10,000 scenes."""
MAX_FILES: Final = 200
"""The largest number of files beside a generator that are considered."""
MAX_FILE_BYTES: Final = 1024 * 1024
"""The part of each of these files that is read: a course could contain a huge one."""
ADVICE: Final = (
    "write generator.py beside the reference and define GENERATOR in it; see the how-to for authors"
)
_MISSING_HELP: Final = "define GENERATOR in generator.py; see the how-to for authors"
_UNUSABLE_HELP: Final = (
    "correct generator.py: it runs in a sandbox, where it can import the modules beside it but "
    "cannot open files"
)
_CALLS_MODULE: Final = "telling_of_a_generator"
"""The name under which `generator_calls` is sent, which no module of a course has."""
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """The attributes of a generator that need no draw."""

    version: int
    clauses: dict[str, PlacedClause]
    groups: tuple[HiddenGroup, ...]


_FACTS_ADAPTER: Final = TypeAdapter(_Facts)
_SCENES_ADAPTER: Final = TypeAdapter(tuple[Scene, ...])


def load_generator(path: Path, sandbox: Sandbox) -> Generator:
    """Return the `GENERATOR` that the module at `path` defines. Its code runs in `sandbox`.

    Scenes are drawn on demand. Raises `SuiteError` if there is no usable generator.
    """
    if not path.is_file():
        raise SuiteError(f"the generator does not exist: {one_line(str(path))}", help=ADVICE)
    remote = _RemoteGenerator(path, sandbox)
    facts = remote.call(_FACTS_ADAPTER, "facts_part")
    return Generator(
        version=facts.version,
        clauses=facts.clauses,
        groups=facts.groups,
        scenes=lambda draws: remote.scenes("scenes", draws),
        examples=lambda draws: remote.scenes("examples", draws),
    )


class _RemoteGenerator:
    """A generator that runs in executors, with a new executor for each call."""

    def __init__(self, path: Path, sandbox: Sandbox) -> None:
        """Prepare a program from the generator at `path`, the modules beside it and the API."""
        self._description: Final = f"the generator {one_line(str(path))}"
        library_modules = {
            # The executor cannot import `grader`, so the source of these modules is sent.
            module.__name__: (f"{module.__name__}.py", inspect.getsource(module))
            for module in (generating, scenes)
        }
        program = Program.from_sources(
            {
                **dict(self._modules(path)),
                **library_modules,
                _CALLS_MODULE: (f"{_CALLS_MODULE}.py", inspect.getsource(generator_calls)),
            },
            {},
            (*STANDARD_MODULES, *GIVABLE_PACKAGES),
            binds="modules",
        )
        program.is_reused = True  # each draw runs the program again
        self._runner: Final = SessionRunner(sandbox, program, LIMITS)

    def scenes(self, kind: str, draws: Draws) -> tuple[Scene, ...]:
        """Return the scenes that the generator makes from the random numbers of `draws`.

        `kind` names the method of `Generator` to call: `scenes` or `examples`. Raises `SuiteError`
        if the generator fails or returns invalid scenes.
        """
        return self.call(_SCENES_ADAPTER, "scenes_part", kind, draws.seed)

    def call(self, adapter: TypeAdapter[_Result], function: str, *arguments: str) -> _Result:
        """Call a `function` of `generator_calls` in an executor, and return its validated result.

        The text of the result is fetched in parts and joined. Raises `SuiteError` if the call
        fails, the text is too long or the result is invalid.
        """
        plan = tuple(
            Item(
                step_index=number,
                code=f"{_CALLS_MODULE}.{function}({', '.join(map(repr, (number, *arguments)))})",
            )
            # One part more than allowed, to detect text that is too long.
            for number in range(MAX_PARTS + 1)
        )
        run = self._runner.run(plan, modules=(_CALLS_MODULE,))
        observations = run.observations if run.is_loaded else [run.imported.observation]
        text = "".join(map(self._text, observations))
        if len(text) > MAX_PARTS * generator_calls.PART_CHARS:
            raise SuiteError(
                f"{self._description} returns too much text in one draw: more than "
                f"{MAX_PARTS * generator_calls.PART_CHARS:,} characters",
                help="in generator.py, draw fewer or smaller scenes",
            )
        try:
            return adapter.validate_json(text, strict=True)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_context=False)[0]
            location = ".".join(map(str, problem["loc"]))
            raise self._unusable(f"{one_line(location)}: {one_line(problem['msg'])}") from error

    def _text(self, observation: Observation) -> str:
        """Return the string that a call returned. Raises `SuiteError` for anything else."""
        if isinstance(observation.outcome, Returned):
            match observation.outcome.value:
                case Atom(value=str(text)):
                    return text
            # `facts_part` returns None without a generator.
            raise SuiteError(f"{self._description} does not define GENERATOR", help=_MISSING_HELP)
        raise self._unusable(_failure_text(observation.outcome))

    def _unusable(self, reason: str) -> SuiteError:
        return SuiteError(f"{self._description} cannot be used: {reason}", help=_UNUSABLE_HELP)

    def _modules(self, path: Path) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield the generator at `path` and the modules beside it, which it can import.

        Each module comes with its name, its file name and its source. Long files are truncated,
        and only the first `MAX_FILES` files beside the generator are considered.
        """
        yield "generator", ("generator.py", path.read_text(encoding="utf-8", errors="replace"))
        for file in islice(_modules_in(path.parent), MAX_FILES):
            # A symbolic link could point to any file on this machine.
            if file != path and not file.is_symlink() and file.is_file():
                relative = file.relative_to(path.parent).with_suffix("")
                name = ".".join(relative.parts).removesuffix(".__init__")
                with file.open("rb") as stream:
                    text = stream.read(MAX_FILE_BYTES).decode(errors="replace")
                yield name, (f"{relative.as_posix()}.py", text)


def _failure_text(outcome: Raised | Died) -> str:
    """Return a message about how a call failed, with the line that raised an exception."""
    if isinstance(outcome, Died):
        return f"{outcome.verdict.value}, {one_line(outcome.evidence)}"
    frame = outcome.frames[-1] if outcome.frames else None
    location = f", {one_line(frame.file)}:{frame.line}" if frame else ""
    return f"{one_line(exception_text(outcome))}{location}"


def _modules_in(folder: Path) -> Iterator[Path]:
    """Yield the paths of the modules in `folder` and, recursively, in its packages."""
    yield from sorted(folder.glob("*.py"))
    for package in sorted(folder.glob("*/__init__.py")):
        yield from _modules_in(package.parent)
