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
from click.core import ParameterSource

from grader.cli.source_options import exercise_options
from grader.cli.suites import with_wording
from grader.cli.terminal import say, warn
from grader.errors import SuiteError, UsageError
from grader.judging.rules import KINDS
from grader.plugins.authoring.courses import SPEC_NAME, find_course, suites_for
from grader.plugins.authoring.deriving.derivation import Derivation, derive
from grader.plugins.authoring.deriving.doubts import DerivationError, SpecError
from grader.plugins.authoring.deriving.proving import (
    complete_derivation,
    derive_marking_unsteady,
    prove,
    prove_steady,
)
from grader.plugins.authoring.deriving.settings import (
    SETTINGS_NAME,
    ExerciseSettings,
    load_settings,
)
from grader.plugins.authoring.deriving.shortening import add_shorter_sessions
from grader.plugins.authoring.schema import SUITE_SCHEMA, schema_path
from grader.plugins.authoring.suite_text import as_yaml
from grader.reporting.writing import write_atomically
from grader.sandbox.sandbox import new_sandbox
from grader.seams import EXTRAS
from grader.suite.clauses import read_spec
from grader.suite.loading import Diagnostic, InvalidSuite, parse_suite
from grader.suite.model import LanguageCode, Suite
from grader.suite.texts import SLUG_PATTERN
from grader.suite.vocabulary import optional_packages
from grader.values.foreign_text import count_noun, one_line

_PLAIN_BY_TYPOGRAPHIC: Final = {
    **dict.fromkeys("\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}", "'"),
    **dict.fromkeys("\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}", '"'),
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "--",
}
"""Characters that word processors insert, and their equivalents in Python code."""


@click.command("derive")
@click.argument("spec", required=False, type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Suite to write; - for standard output. Default: <exercise>.yaml in the suites folder.",
)
@click.option("--check", is_flag=True, help="Write nothing; fail if the suite is outdated.")
@click.option(
    "--from-tests",
    "tests",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Record a first suite from your own tests, which run on --reference.",
)
@click.option(
    "--reference",
    type=click.Path(path_type=Path, exists=True),
    help="With --from-tests: the file or folder of a solution that passes the tests.",
)
@click.option(
    "--from-tested",
    type=click.Path(path_type=Path),
    help="Make a first suite from the folder of a Dodona exercise that uses TESTed.",
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
    """Derive a suite from the example sessions in SPEC, which is a file, a folder or an exercise.

    The folder of SPEC also contains `exercise.yaml`, with settings that the text does not have, and
    the reference, which must pass every example.

    With --from-tests, the suite is recorded from tests instead; with --from-tested, it is converted
    from a Dodona exercise.
    """
    if tests or from_tested is not None:
        if spec is not None or check:
            option, other = (
                "--from-tests" if tests else "--from-tested",
                "--check" if check else "a spec",
            )
            raise UsageError(
                f"{option} cannot be combined with {other}",
                help="run two commands: one makes a first suite, the other derives from a spec",
            )
        _write_from_other_source(tests, reference, from_tested, title, language, out)
        return
    if spec is None:
        raise UsageError(
            "the argument SPEC is missing",
            help="give the file of the spec, its folder, or the name of the exercise",
        )
    _refuse_options_without_effect(click.get_current_context())
    _derive_from_spec(_find_spec(spec), out, check=check)


def _refuse_options_without_effect(context: click.Context) -> None:
    """Raise `UsageError` if an option was given that has no effect on a derivation from a spec."""
    for name in ("reference", "title", "language"):
        # Not the value, because `--language` has a default.
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise UsageError(
                f"--{name} cannot be combined with a spec",
                help=f"leave out --{name}: the reference is the file beside the spec"
                if name == "reference"
                else f"leave out --{name}, and set `{name}` in {SETTINGS_NAME} beside the spec",
            )


def _derive_from_spec(spec: Path, out: Path | None, *, check: bool) -> None:
    """Derive a suite from the file `spec` and write it to `out`, or to its default path.

    The path `-` stands for standard output. Print a warning for each doubt. With `check`, write
    nothing, and raise `SuiteError` if the existing suite is outdated.
    """
    text = _read_spec_text(spec)
    settings = load_settings(spec.with_name(SETTINGS_NAME))
    reference, *more_references = _references(spec, settings)
    target = out or suites_for(spec, make=not check) / f"{settings.exercise}.yaml"
    if settings.modules and "stand_ins" not in settings.given_keys:
        # All modules but the last get a stand-in, because modules that import a broken one would
        # fail too.
        settings = settings.with_changes(
            stand_ins=dict(_stand_ins([reference, *more_references][:-1], target))
        )
    derivation, suite_text = _derive_suite(text, spec, reference, settings, target)
    for doubt in derivation.doubts:
        warn(f"{doubt.message}\n  --> {one_line(str(spec))}:{doubt.line}\n  = help: {doubt.help}")
    if str(target) == "-":
        sys.stdout.write(suite_text)
    elif not check:
        write_atomically(target, suite_text.encode())
        names = ", ".join(path.name for path in (reference, *more_references))
        examples = count_noun(derivation.example_count, "example")
        say(f"{examples} proven on {names}: {target}")
    elif not target.is_file() or target.read_bytes() != suite_text.encode():
        shown_target, shown_spec = one_line(str(target)), one_line(str(spec))
        problem = f"is not up to date with {shown_spec}" if target.is_file() else "does not exist"
        raise SuiteError(
            f"{shown_target} {problem}",
            help=f"run: grader derive {shown_spec}{f' --out {shown_target}' if out else ''}",
        )


def _write_from_other_source(
    tests: tuple[Path, ...],
    reference: Path | None,
    from_tested: Path | None,
    title: str | None,
    language: LanguageCode,
    out: Path | None,
) -> None:
    """Write a suite recorded from `tests` or converted from a Dodona exercise.

    Raises `UsageError` for options that cannot be combined.
    """
    if from_tested is not None and not tests:
        if reference is not None:
            raise UsageError(
                "--from-tested cannot be combined with --reference",
                help="leave out --reference: it is for --from-tests, whose tests run on it",
            )
        EXTRAS.load("--from-tested")(from_tested, title, language, out)
    elif tests and reference is not None and from_tested is None:
        EXTRAS.load("--from-tests")(tests, title, language, reference, out)
    elif from_tested is not None:
        raise UsageError(
            "--from-tests cannot be combined with --from-tested",
            help="run two commands, one for the tests and one for the Dodona exercise",
        )
    else:
        raise UsageError(
            "--from-tests is given without --reference",
            help="run: grader derive --from-tests TESTS --reference SOLUTION",
        )


def _references(spec: Path, settings: ExerciseSettings) -> list[Path]:
    """Return the path of the reference beside `spec` for each module that students hand in.

    Raises `UsageError` if one does not exist.
    """
    references = [spec.with_name(f"{module}.py") for module in settings.submitted_modules]
    for reference in references:
        if not reference.is_file():
            raise UsageError(
                f"the reference file does not exist: {one_line(str(reference))}",
                help=f"put a solution named {reference.name} beside the spec",
            )
    return references


def _stand_ins(references: Iterable[Path], target: Path) -> Iterator[tuple[str, str]]:
    """Yield the module name and relative path of each reference that the suite can refer to.

    A suite can refer to files in its own folder and in the folder above.
    """
    folder = target.resolve().parent
    for reference in references:
        path = reference.resolve()
        for base in (folder, folder.parent):
            if path.is_relative_to(base):
                yield path.stem, path.relative_to(base).as_posix()
                break


def _find_spec(spec: Path) -> Path:
    """Return the path of the spec that the argument `spec` refers to.

    The argument is a file, a folder, or the name of an exercise in the current course. Raises
    `UsageError` if an exercise of that name does not exist or has no spec.
    """
    if spec.is_dir():
        return spec / SPEC_NAME
    if spec.exists() or not re.fullmatch(SLUG_PATTERN, str(spec)):
        return spec
    path = find_course().reference(str(spec)) / SPEC_NAME
    if path.parent.is_dir() and not path.is_file():
        raise UsageError(
            f"the exercise {one_line(str(spec))} has no spec: {one_line(str(path))} does not exist",
            help="write the spec in this file, or give the path of another file",
        )
    if not path.is_file():
        raise UsageError(
            f"neither a file nor an exercise of this course has the name {one_line(str(spec))}",
            help=f"correct the name, or create the exercise with: grader new exercise {spec}",
        )
    return Path(os.path.relpath(path))


def _read_spec_text(spec: Path) -> str:
    """Return the text of the file `spec`. Raises `UsageError` if it cannot be read as UTF-8."""
    try:
        return read_spec(spec)
    except OSError as error:
        raise UsageError(
            f"cannot read {one_line(str(spec))}: {error.strerror}",
            help="give a spec that exists and that you can read",
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{one_line(str(spec))} is not UTF-8", help="save it as UTF-8") from error


def _derive_suite(
    text: str, spec: Path, reference: Path, settings: ExerciseSettings, target: Path
) -> tuple[Derivation, str]:
    """Derive and prove a suite. Return the derivation and the text of the suite file.

    Raises `InvalidSuite` if examples in the spec are wrong, with the lines of these examples.
    """
    relative_spec = Path(os.path.relpath(spec.resolve(), target.resolve().parent)).as_posix()
    packages = optional_packages(settings.imports)
    try:
        with new_sandbox(packages) as zygote:
            derive_with_zygote = partial(derive, text, relative_spec, reference, settings)
            derivation = derive_marking_unsteady(derive_with_zygote, zygote, packages)
            suite, _ = _as_suite(derivation, target)
            derivation = complete_derivation(derivation, suite, reference, zygote)
            suite, _ = _as_suite(derivation, target)
            # After `complete_derivation`, as the steps that a case needs depend on the actions.
            derivation = add_shorter_sessions(derivation, suite, reference, zygote)
            suite, suite_text = _as_suite(derivation, target)
            prove(suite, reference, zygote, derivation.dependent)
        prove_steady(suite, reference)  # starts its own sandboxes, with other seeds
    except DerivationError as error:
        raise _invalid_spec(error.problems, spec, text) from error
    except SpecError as problem:
        raise _invalid_spec((problem,), spec, text) from problem
    return derivation, suite_text


def _as_suite(derivation: Derivation, target: Path) -> tuple[Suite, str]:
    """Return the suite of a derivation, parsed and as YAML text.

    Raises `InvalidSuite` if it breaks a rule for suites, for example because of the settings.
    """
    text = as_yaml(derivation.document, schema=schema_path(target.parent, SUITE_SCHEMA))
    return with_wording(parse_suite(text.encode(), str(target), KINDS)), text


def _invalid_spec(problems: tuple[SpecError, ...], spec: Path, text: str) -> InvalidSuite:
    """Return an error with a diagnostic for each of the `problems` in the `text` of `spec`."""
    lines = text.splitlines()
    diagnostics = [
        Diagnostic(
            file=str(spec),
            line=problem.line,
            column=1,
            message=problem.message,
            help=_help(problem, lines[problem.line - 1 :]),
            # an empty spec has no lines
            source=lines[problem.line - 1] if problem.line <= len(lines) else "",
        )
        for problem in problems
    ]
    return InvalidSuite(str(spec), diagnostics)


def _help(problem: SpecError, lines: Sequence[str]) -> str | None:
    """Return the help for a `problem` in the example that `lines` begin with.

    Add advice if the example contains characters that a word processor inserts.
    """
    example = "".join(takewhile(str.strip, lines))  # up to the next empty line
    characters = [mark for mark in _PLAIN_BY_TYPOGRAPHIC if mark in example]
    if not characters:
        return problem.help
    replacements = ", ".join(f"{_PLAIN_BY_TYPOGRAPHIC[mark]} for {mark}" for mark in characters)
    advice = f"a word processor has changed characters of the example: write {replacements}"
    return f"{advice}; or {problem.help}" if problem.help else advice
