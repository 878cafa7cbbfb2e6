"""`grader derive`: turns a spec with example sessions into a suite."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Final

import click

from grader.cli.source_options import exercise_options
from grader.cli.suites import worded
from grader.cli.terminal import say, warn
from grader.errors import SuiteError, UsageError
from grader.judging.rules import KINDS
from grader.plugins.authoring.courses import SPEC_NAME, find_course, suites_for
from grader.plugins.authoring.deriving.derivation import Derivation, DerivationError, derive
from grader.plugins.authoring.deriving.doubts import SpecError
from grader.plugins.authoring.deriving.proving import (
    completed,
    prove,
    prove_steady,
    with_causes,
)
from grader.plugins.authoring.deriving.settings import (
    SETTINGS_NAME,
    ExerciseSettings,
    load_settings,
)
from grader.plugins.authoring.deriving.shortening import with_shorter
from grader.plugins.authoring.schema import SUITE_SCHEMA, schema_for
from grader.plugins.authoring.suite_text import as_yaml
from grader.reporting.writing import write_atomically
from grader.sandbox.sandbox import new_sandbox
from grader.seams import EXTRAS
from grader.suite.clauses import read_spec
from grader.suite.loading import Diagnostic, InvalidSuite, parse_suite
from grader.suite.model import LanguageCode, Suite
from grader.suite.texts import SLUG_PATTERN
from grader.suite.vocabulary import packages_among
from grader.values.foreign_text import one_line

_TYPOGRAPHIC: Final = {
    **dict.fromkeys("\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}", "'"),
    **dict.fromkeys("\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}", '"'),
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "--",
}
"""Characters that a word processor substitutes, and what Python understands."""


@click.command("derive")
@click.argument("spec", required=False, type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Suite to write. Default: <exercise>.yaml in the folder of suites; - for standard output.",
)
@click.option("--check", is_flag=True, help="Write nothing; fail if the suite is outdated.")
@click.option(
    "--from-tests",
    "tests",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Record a first suite from your own tests, run on --reference.",
)
@click.option(
    "--reference",
    type=click.Path(path_type=Path, exists=True),
    help="With --from-tests: a solution that passes them, a file or a folder.",
)
@click.option(
    "--from-tested",
    type=click.Path(path_type=Path),
    help="Make a first suite from the folder of a Dodona exercise with TESTed.",
)
@exercise_options("With --from-tests or --from-tested:")
def command(
    spec: Path | None,
    out: Path | None,
    check: bool,
    tests: tuple[Path, ...],
    reference: Path | None,
    from_tested: Path | None,
    title: str | None,
    language: LanguageCode,
) -> None:
    """Derive a suite from the example sessions in SPEC: a file, its folder, or an exercise.

    Beside SPEC are `exercise.yaml`, with settings that the text does not have, and the reference,
    on which every example is proven.

    With --from-tests it is recorded from tests instead of a spec, with --from-tested it is read
    from an exercise of Dodona.
    """
    if tests or from_tested is not None:
        if spec is not None or check:
            raise UsageError(
                "--from-tests and --from-tested cannot be combined with a spec or --check"
            )
        _from_elsewhere(tests, reference, from_tested, title, language, out)
        return
    if spec is None:
        raise UsageError("the spec is missing", help="name its file, its folder or its exercise")
    spec = _found(spec)
    text = _read(spec)
    settings = load_settings(spec.with_name(SETTINGS_NAME))
    reference, *others = _references(spec, settings)
    target = out or suites_for(spec, make=not check) / f"{settings.exercise}.yaml"
    if settings.modules and "stand_ins" not in settings.given_keys:
        settings = settings.changed(stand_ins=dict(_stand_ins([reference, *others][:-1], target)))
    derived, suite_text = _derived(text, spec, reference, settings, target)
    for doubt in derived.doubts:
        warn(f"{doubt.message}\n  --> {one_line(str(spec))}:{doubt.line}\n  = help: {doubt.help}")
    if str(target) == "-":
        sys.stdout.write(suite_text)
    elif not check:
        write_atomically(target, suite_text.encode())
        names = ", ".join(each.name for each in (reference, *others))
        say(f"{derived.example_count} examples proven on {names}: {target}")
    elif not target.is_file() or target.read_bytes() != suite_text.encode():
        raise SuiteError(
            f"{one_line(str(target))} is not up to date with {one_line(str(spec))}",
            help=f"run: grader derive {spec}",
        )


def _from_elsewhere(
    tests: tuple[Path, ...],
    reference: Path | None,
    from_tested: Path | None,
    title: str | None,
    language: LanguageCode,
    out: Path | None,
) -> None:
    """Write a suite made of the `tests`, or of an exercise of Dodona."""
    if from_tested is not None and not tests:
        EXTRAS.load("--from-tested")(from_tested, title, language, out)
    elif tests and reference is not None and from_tested is None:
        EXTRAS.load("--from-tests")(tests, title, language, reference, out)
    else:
        raise UsageError(
            "--from-tests needs --reference, and cannot be combined with --from-tested"
        )


def _references(spec: Path, settings: ExerciseSettings) -> list[Path]:
    """Return the path of the solution beside `spec`, for each module that is handed in."""
    references = [spec.with_name(f"{module}.py") for module in settings.handed_in]
    for reference in references:
        if not reference.is_file():
            raise UsageError(
                f"there is no reference at {one_line(str(reference))}",
                help=f"put a solution named {reference.name} beside the spec",
            )
    return references


def _stand_ins(references: Iterable[Path], target: Path) -> Iterator[tuple[str, str]]:
    """Yield module and relative path of each of the `references` that the suite can name."""
    folder = target.resolve().parent
    for reference in references:
        path = reference.resolve()
        for place in (folder, folder.parent):
            if path.is_relative_to(place):
                yield path.stem, path.relative_to(place).as_posix()
                break


def _found(spec: Path) -> Path:
    """Return `spec`, or the spec of the exercise of this course with that name."""
    if spec.is_dir():
        return spec / SPEC_NAME
    if spec.exists() or not re.fullmatch(SLUG_PATTERN, str(spec)):
        return spec
    found = find_course().reference(str(spec)) / SPEC_NAME
    if not found.is_file():
        raise UsageError(
            f"there is no spec {one_line(str(spec))}, and no exercise of that name in this course",
            help=f"make one with: grader new exercise {spec}",
        )
    return Path(os.path.relpath(found))


def _read(spec: Path) -> str:
    try:
        return read_spec(spec)
    except OSError as error:
        raise UsageError(f"cannot read {one_line(str(spec))}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{one_line(str(spec))} is not UTF-8", help="save it as UTF-8") from error


def _derived(
    text: str, spec: Path, reference: Path, settings: ExerciseSettings, target: Path
) -> tuple[Derivation, str]:
    named = Path(os.path.relpath(spec.resolve(), target.resolve().parent)).as_posix()
    packages = packages_among(settings.imports)
    try:
        with new_sandbox(packages) as zygote:
            first = partial(derive, text, named, reference, settings)
            derived = with_causes(first, zygote, packages)
            suite, _ = _as_suite(derived, target)
            derived = completed(derived, suite, reference, zygote)
            suite, _ = _as_suite(derived, target)
            # After `completed`: which steps a case needs depends on actions.
            derived = with_shorter(derived, suite, reference, zygote)
            suite, suite_text = _as_suite(derived, target)
            prove(suite, reference, zygote, derived.dependent)
        prove_steady(suite, reference)  # in sandboxes of its own, with other seeds
    except DerivationError as failed:
        raise _located(failed.problems, spec, text) from failed
    except SpecError as problem:
        raise _located((problem,), spec, text) from problem
    return derived, suite_text


def _as_suite(derived: Derivation, target: Path) -> tuple[Suite, str]:
    text = as_yaml(derived.document, schema=schema_for(target.parent, SUITE_SCHEMA))
    return worded(parse_suite(text.encode(), str(target), KINDS)), text


def _located(problems: tuple[SpecError, ...], spec: Path, text: str) -> InvalidSuite:
    lines = text.splitlines()
    diagnostics = [
        Diagnostic(
            file=str(spec),
            line=problem.line,
            column=1,
            message=problem.message,
            help=_help(problem, lines[problem.line - 1 :]),
            # an empty spec has no line 1
            source=lines[problem.line - 1] if problem.line <= len(lines) else "",
        )
        for problem in problems
    ]
    return InvalidSuite(str(spec), diagnostics)


def _help(problem: SpecError, lines: Sequence[str]) -> str | None:
    """Return the help for a `problem` with the example that `lines` begin with.

    The example may have been pasted from a word processor.
    """
    example = "".join(takewhile(str.strip, lines))  # up to an empty line
    found = [mark for mark in _TYPOGRAPHIC if mark in example]
    if not found:
        return problem.help
    straight = ", ".join(f"{_TYPOGRAPHIC[mark]} for {mark}" for mark in found)
    changed = f"a word processor has changed what was typed here: write {straight}"
    return f"{changed}; or {problem.help}" if problem.help else changed
