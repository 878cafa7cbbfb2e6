"""An exercise with all its files, and helpers that run programs on its suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UsageError
from grader.judging.rules import KINDS
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner
from grader.plugins.authoring.auditing.programs import (
    MAIN_PROGRAM,
    WrongProgram,
    related_programs,
    wrong_programs,
)
from grader.plugins.authoring.generating.evaluator import Evaluator
from grader.plugins.authoring.generating.freezing import public_document, suite_of
from grader.plugins.authoring.generating.loading import load_generator
from grader.plugins.authoring.generating.oracle import Oracle
from grader.plugins.authoring.generating.relaxing import Strictness
from grader.plugins.authoring.solutions import Sources, read_solutions, reference_folder
from grader.sandbox.sandbox import new_sandbox, usable_cores
from grader.suite.exercises import find_suite, suite_paths, suites_folder
from grader.suite.files import hidden_suite_path
from grader.suite.model import Suite
from grader.suite.vocabulary import optional_packages
from grader.values.foreign_text import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """One exercise: its suite, its reference, and their paths."""

    suite: Suite
    """The public suite."""
    public_path: Path
    """The path of the public suite."""
    folder: Path
    """The folder that contains the reference."""
    sources: Mapping[str, str]
    """The source of each reference module that students hand in, keyed by module name."""

    @property
    def hidden_path(self) -> Path:
        """The path of the hidden suite, which need not exist."""
        return hidden_suite_path(self.public_path)

    @property
    def generator_path(self) -> Path:
        """The path of the generator, which need not exist."""
        return self.folder / "generator.py"

    @property
    def _tested_names(self) -> tuple[str, ...]:
        """The names that mutants should be in, with `MAIN_PROGRAM` if sessions run programs."""
        runs = any(session.runs_programs for session in self.suite.sessions)
        return (*self.suite.defines, *([MAIN_PROGRAM] if runs else ()))

    def wrong_programs(self) -> list[WrongProgram]:
        """Return the wrong programs that the suite should fail."""
        return wrong_programs(self.sources, self._tested_names, self.folder)

    def related_programs(self, one_in: int = 1) -> list[WrongProgram]:
        """Return every `one_in`-th mutant of the right solutions, as a sample of them."""
        return related_programs(self.right_programs(), self._tested_names, one_in)

    def right_programs(self) -> dict[str, Sources]:
        """Return the right solutions other than the reference, as a dict keyed by name."""
        return self._solutions_beside("correct")

    def guessers(self) -> dict[str, Sources]:
        """Return programs that know the public answers and guess the hidden ones, keyed by name."""
        return self._solutions_beside("guessers")

    def strict_sources(self) -> dict[str, str]:
        """Return the reference sources, with the code from `strict` appended to each module.

        The resulting program gives the same answers as the reference, but raises `OutsideText` for
        a call that the exercise text does not promise.
        """
        strict_paths = {name: self.folder / "strict" / f"{name}.py" for name in self.sources}
        return {
            name: f"{text}\n\n{read_utf8(strict_paths[name])}"
            if strict_paths[name].is_file()
            else text
            for name, text in self.sources.items()
        }

    def _solutions_beside(self, folder: str) -> dict[str, Sources]:
        return {
            solution.name: solution.sources
            for solution in read_solutions(self.folder / folder, self.sources)
        }


def find_exercise(name: str, suites: Path | None, reference: Path | None) -> Exercise:
    """Return the exercise that the user has named.

    `name` is the exercise's name or the path of its suite file. `suites` and `reference` are
    folders given by the user, or None for the default folders. Raises `UsageError` for a missing
    file and `SuiteError` for an invalid suite.
    """
    suite, public = find_public_suite(name, suites)
    folder = reference or reference_folder(suite, public)
    return Exercise(
        suite=suite,
        public_path=public,
        folder=folder,
        sources=dict(_sources(folder, suite)),
    )


def find_public_suite(name: str, suites: Path | None) -> tuple[Suite, Path]:
    """Return the public suite of an exercise, and the path of the suite file.

    `name` is the exercise's name or the path of its suite file. Raises `UsageError` if the suite
    does not exist and `SuiteError` if it is invalid.
    """
    suite = find_suite(name, suites, KINDS)
    # `find_suite` tells names from paths in the same way.
    is_path = name.endswith((".yaml", ".yml"))
    return suite, Path(name) if is_path else suite_paths(suites_folder(suites))[name]


def _sources(folder: Path, suite: Suite) -> Iterator[tuple[str, str]]:
    """Yield the name and the source of each reference module of `suite`.

    Raises `UsageError` if a file does not exist or is not UTF-8.
    """
    for module in suite.modules:
        path = folder / f"{module}.py"
        if not path.is_file():
            raise UsageError(
                f"the reference file does not exist: {one_line(str(path))}",
                help="write this file, or pass the folder that contains the reference with"
                " --reference",
            )
        yield module, read_utf8(path)


def read_utf8(path: Path) -> str:
    """Return the text of an author's file. Raises `UsageError` if it cannot be read as UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot read {one_line(str(path))}: {error.strerror}", help="check its permissions"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{one_line(str(path))} is not UTF-8", help="save it as UTF-8") from error


@contextmanager
def mutant_runners(
    exercise: Exercise, jobs: int | None
) -> Iterator[Callable[[Suite], MutantRunner]]:
    """Yield a function that creates the mutant runner for a suite.

    All runners that it creates share the same sandboxes, one per thread. There are `jobs` threads,
    or one per usable core if `jobs` is None. The sandboxes are closed on exit.
    """
    packages = optional_packages(exercise.suite.imports)
    with ExitStack() as stack:
        sandboxes = [
            # A sandbox serves one thread at a time.
            stack.enter_context(new_sandbox(packages))
            for _ in range(jobs or usable_cores())
        ]
        yield lambda suite: MutantRunner(suite, sandboxes, exercise.sources)


def create_evaluator(
    exercise: Exercise,
    create_runner: Callable[[Suite], MutantRunner],
    programs: Sequence[WrongProgram],
    progress: Callable[[], object],
) -> Evaluator:
    """Return an evaluator for scenes of `exercise` that runs `programs` on the scenes' sessions.

    `create_runner` comes from `mutant_runners`. `progress` is called after each program. Loads the
    generator in a sandbox. Raises `SuiteError` if there is no usable generator.
    """
    mutant_runner = create_runner(exercise.suite)
    with mutant_runner.sandbox() as sandbox:
        generator = load_generator(exercise.generator_path, sandbox)
    runner = mutant_runner.reference_runner(exercise.strict_sources())
    return Evaluator(
        generator=generator,
        oracle=Oracle(
            runner,
            exercise.suite.modules,
            generator.clauses,
            exercise.suite.stand_ins,
            _public_strictness(exercise),
        ),
        reference=exercise.sources,
        programs=programs,
        right=exercise.right_programs(),
        suite_of=lambda documents: suite_of(exercise.public_path, generator, documents),
        create_runner=create_runner,
        progress=progress,
    )


def _public_strictness(exercise: Exercise) -> Strictness:
    """Return how strictly the public suite of `exercise` compares answers."""
    public = public_document(exercise.public_path)
    # Without a spec, this is the path of a folder and not of a file.
    spec = exercise.public_path.parent / (exercise.suite.spec or "")
    return Strictness(
        steps=[step for session in public["sessions"] for step in session["steps"]],
        spec=read_utf8(spec) if spec.is_file() else "",
    )
