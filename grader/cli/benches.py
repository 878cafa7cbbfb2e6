"""What `generate` and `audit` need alike: an exercise, its reference, a bench to try programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.auditing.bench import Bench, Sources
from grader.auditing.programs import WrongProgram, samples, wrong_programs
from grader.cli.references import reference_folder
from grader.display import one_line
from grader.errors import UsageError
from grader.exercises import find_suite, suite_paths, suites_folder
from grader.generating.candidates import load_generator, suite_of
from grader.generating.oracle import Oracle
from grader.generating.workshop import Workshop
from grader.importable import packages_among
from grader.loading import hidden_suite_of
from grader.run import usable_cores
from grader.sandbox.nursery import new_nursery
from grader.suite import Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """Where all that belongs to one exercise lies."""

    suite: Suite
    """The public one."""
    public: Path
    folder: Path
    """Of the reference."""
    sources: Mapping[str, str]
    """The reference: the text of each module that is handed in, by name."""

    @property
    def hidden(self) -> Path:
        """Where its hidden suite lies, if it has one."""
        return hidden_suite_of(self.public)

    @property
    def generator(self) -> Path:
        """Where its generator lies, if it has one."""
        return self.folder / "generator.py"

    def wrong_programs(self) -> list[WrongProgram]:
        """Return the wrong programs to hold its suite against."""
        return wrong_programs(self.sources, self.suite.defines, self.folder / "faulty")

    def right_programs(self) -> dict[str, Sources]:
        """Return the other right solutions, by name."""
        return {each.id: each.sources for each in samples(self.folder / "correct", self.sources)}


def find_exercise(name: str, suites: Path | None, reference: Path | None) -> Exercise:
    """Return the exercise called `name`, or of which this is the path of the suite.

    `suites` and `reference` are the folders that the user named. Raises `UsageError` for what is
    not there, and `SuiteError` for a suite that is not in order.
    """
    suite = find_suite(name, suites)
    is_path = name.endswith((".yaml", ".yml"))
    public = Path(name) if is_path else suite_paths(suites_folder(suites))[name]
    folder = reference_folder(suite.exercise, reference)
    return Exercise(
        suite=suite,
        public=public,
        folder=folder,
        sources=dict(_sources(folder, suite)),
    )


def _sources(folder: Path, suite: Suite) -> Iterator[tuple[str, str]]:
    for module in suite.modules or (str(suite.module),):
        path = folder / f"{module}.py"
        if not path.is_file():
            raise UsageError(
                f"no reference at {one_line(str(path))}",
                help="name the folder of the reference with --reference",
            )
        yield module, path.read_text(encoding="utf-8")


@contextmanager
def benches(exercise: Exercise, jobs: int | None) -> Iterator[Callable[[Suite], Bench]]:
    """Give what makes a bench for any suite of `exercise`, with `jobs` threads or one per core."""
    packages = packages_among(exercise.suite.imports)
    with ExitStack() as stack:
        nurseries = [
            stack.enter_context(new_nursery(packages)) for _ in range(jobs or usable_cores())
        ]
        yield lambda suite: Bench(suite, nurseries, exercise.sources)


def workshop_of(
    exercise: Exercise,
    bench_of: Callable[[Suite], Bench],
    programs: Sequence[WrongProgram],
    told: Callable[[], object],
) -> Workshop:
    """Return what makes sessions of `exercise` and tries them on `programs`.

    `told` is called after each program that was tried. Raises `SuiteError` without a generator.
    """
    generator = load_generator(exercise.generator)
    runner = bench_of(exercise.suite).reference_runner(exercise.sources)
    return Workshop(
        generator=generator,
        oracle=Oracle(runner, exercise.suite.modules, exercise.suite.stand_ins),
        reference=exercise.sources,
        programs=programs,
        correct=list(exercise.right_programs().values()),
        suite_of=lambda documents: suite_of(exercise.public, generator, documents),
        bench_of=bench_of,
        told=told,
    )
