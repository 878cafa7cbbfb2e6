"""The main program of a kit, which finds and judges the student's file and prints the result."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from rich.console import Console

from grader.cli.check_output import CaseSelection, print_selected, select_cases, student_error
from grader.cli.terminal import labels, show_error, student_usage_error
from grader.errors import GraderError, UsageError
from grader.intake.rescue import defined_names
from grader.intake.submission import Submission
from grader.intake.submissions import build_submission, collect_hand_in, single_entry
from grader.judging.preparing import runner_for
from grader.judging.record import Record
from grader.plugins.kit.data import decode
from grader.reporting.wording import Locale, is_right
from grader.run.worker import Worker
from grader.sandbox.sandbox import FreshSandbox
from grader.suite.model import Suite
from grader.suite.vocabulary import optional_packages
from grader.values.foreign_text import one_line
from grader.verdict import Status, Verdict

_EXIT_FAULT: Final = 6
_MISSING_FEATURE_ERRORS: Final = frozenset(
    {
        *("AttributeError", "ImportError", "ModuleNotFoundError", "NameError"),
        *("SyntaxError", "TypeError"),
    }
)
"""Exceptions that an older Python raises for newer features."""
_MAX_SOURCE_BYTES: Final = 1 << 20
"""How much of a file is searched for names. A student's folder can contain very large files."""


class _Kit(NamedTuple):
    """A kit: its path, its suite and locale, and the version of Python for grading."""

    path: str
    suite: Suite
    locale: Locale
    python: tuple[int, int]
    """The version of Python that hand-ins are graded with, which also made the kit."""

    @property
    def name(self) -> str:
        """The file name of the kit."""
        return os.path.basename(self.path)


def main(path: str, suite_text: str, arguments: Sequence[str]) -> int:
    """Check the student's work with the kit at `path`, print the result and return the exit code.

    `suite_text` is the kit's suite as `assembling` encoded it, and `arguments` are those of the
    command line.
    """
    data = json.loads(suite_text)
    suite: Suite = decode(data["suite"])
    kit = _Kit(path, suite, Locale.for_language(suite.language), tuple(data["python"]))
    try:
        options = _options(kit, arguments)
        work_path = _work_path(kit, options.path)
        _require_packages(kit)
        record = _grade_and_print(kit, work_path, _output_options(options))
    except GraderError as error:
        show_error(error)
        return error.exit_code
    if data["rules"]:
        print(kit.locale("kit_rules", count=data["rules"]))
    if data["advice"]:
        print(kit.locale("kit_advice"))
    if record.status is Status.FAULT:
        return _EXIT_FAULT
    return 0 if is_right(record) else 1


def _options(kit: _Kit, arguments: Sequence[str]) -> argparse.Namespace:
    """Return the parsed command line.

    Raises `UsageError`, in the language of the exercise, if the command line is not valid.
    """
    language, command = kit.suite.language, f"python {kit.name}"
    try:
        options, unknown = _parser(kit).parse_known_args(arguments)
    except argparse.ArgumentError as error:
        option = error.argument_name or ""
        raise student_usage_error(language, "bare_option", option=option, command=command) from None
    if unknown:
        argument = one_line(unknown[0])
        key = "option" if argument.startswith("-") else "several"
        raise student_usage_error(language, key, option=argument, path=argument, command=command)
    return options


def _parser(kit: _Kit) -> argparse.ArgumentParser:
    """Return the parser of the command line. Its usage line documents all options."""
    parser = argparse.ArgumentParser(
        prog=kit.name,
        usage=f"python {kit.name} [FILE] [--all] [-v] [-k WORD] [-x] [--lf]",
        description=f"{kit.suite.title}\n\n{kit.locale('kit_about', kit=kit.name)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        exit_on_error=False,
    )
    parser.add_argument("path", nargs="?", help=argparse.SUPPRESS)
    for option in ("--all", "-v", "-x", "--lf"):
        parser.add_argument(option, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-k", help=argparse.SUPPRESS)
    return parser


def _output_options(options: argparse.Namespace) -> CaseSelection:
    """Return those of the `options` that select which cases are printed, and how."""
    return CaseSelection(
        everything=options.all,
        verbose=options.v,
        wanted=options.k,
        exitfirst=options.x,
        last_failed=options.lf,
    )


def _require_packages(kit: _Kit) -> None:
    """Raise `UsageError` if a package that the exercise uses is not installed."""
    missing = [
        package for package in optional_packages(kit.suite.imports) if find_spec(package) is None
    ]
    if missing:
        names, packages = ", ".join(missing), " ".join(missing)
        python = os.path.basename(sys.executable or "python")
        raise UsageError(
            kit.locale("kit_packages", packages=names, python=python),
            help=kit.locale("kit_packages_help", packages=packages, python=python),
            labels=labels(kit.locale),
        )


def _work_path(kit: _Kit, path: str | None) -> Path:
    """Return the path of the student's work: the given `path`, or else the work beside the kit.

    Raises `UsageError` if the work has to be found beside the kit, but is not there.
    """
    kit_folder = os.path.dirname(os.path.abspath(kit.path))
    work_path = os.path.abspath(path or kit_folder)
    if work_path == kit_folder and len(kit.suite.modules) < 2:
        return _find_work(kit_folder, kit)
    return Path(path or kit_folder)


def _find_work(folder: str, kit: _Kit) -> Path:
    """Return the file in `folder` with the expected name, or else the only one that fits.

    Raises `UsageError` if no file defines a required name, or if several do.
    """
    (module_name,) = kit.suite.modules
    if os.path.isfile(os.path.join(folder, f"{module_name}.py")):
        return Path(folder, f"{module_name}.py")
    wanted_names = {name.rpartition(".")[2] for name in kit.suite.defines}
    candidates = [
        path
        for path in sorted(Path(folder).glob("*.py"))
        if path.name != kit.name and wanted_names & _names_defined_in(path)
    ]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        files = one_line(", ".join(path.name for path in candidates))
        reason = kit.locale("kit_several", files=files)
    else:
        reason = kit.locale("kit_none", names=", ".join(kit.suite.defines))
    help_text = kit.locale("kit_which", kit=kit.name)
    raise UsageError(reason, help=help_text, labels=labels(kit.locale))


def _names_defined_in(path: Path) -> set[str]:
    """Return the names that the start of the file at `path` defines."""
    with path.open("rb") as file:
        return {*defined_names(file.read(_MAX_SOURCE_BYTES))}


def _grade_and_print(kit: _Kit, path: Path, output_options: CaseSelection) -> Record:
    """Grade the work at `path`, print the selected part of the result, and return the record."""
    suite = kit.suite
    # Without colours, which some terminals do not support; signs and words say the same.
    console = Console(highlight=False, color_system=None, legacy_windows=False)
    with closing(FreshSandbox()) as sandbox, Worker(0, sandbox, FreshSandbox) as worker:
        submission = _submission(suite, path)
        record = select_cases(worker.grade(suite, submission).record, path, output_options)
        print_selected(
            worker.shorten_first_failure(suite, submission, record), output_options, console
        )
        if sys.version_info[:2] < kit.python:
            _explain_older_python(kit, record)
        elif sys.version_info[:2] > kit.python:
            _report_newer_syntax(kit, submission, sandbox)
    return record


def _submission(suite: Suite, path: Path) -> Submission:
    """Return the submission at `path`.

    Raises an error, in the language of the exercise, if the work cannot be read.
    """
    try:
        hand_in = collect_hand_in(single_entry(path))
    except GraderError as error:
        raise student_error(error, path, suite.language) from None
    return build_submission(hand_in, suite.modules, suite.defines)


def _explain_older_python(kit: _Kit, record: Record) -> None:
    """Print that a newer Python grades hand-ins, if that can explain a failure."""
    newer_feature_errors = (
        case.verdict is Verdict.ERROR
        and (case.got or "").partition(":")[0] in _MISSING_FEATURE_ERRORS
        for case in record.cases
    )
    if record.status is not Status.GRADED or any(newer_feature_errors):
        print(kit.locale("kit_older", **_versions(kit)))


def _report_newer_syntax(kit: _Kit, submission: Submission, sandbox: FreshSandbox) -> None:
    """Print, for each file, the first construct that the older Python for grading cannot parse."""
    runner = runner_for(kit.suite, submission, sandbox)
    sources = runner.sources(submission.modules)
    reply = runner.request_reply(
        {"survey": sources, "python": kit.python, "definitions": [], "sought": []}
    )
    survey = (reply or {}).get("survey", {})
    # Reversed, so that the first construct of each file is kept.
    first_constructs = {
        position[0]: (construct, position[1])
        for construct, _, position in reversed(survey.get("too_new", []))
    }
    for module, file in submission.modules.items():
        if module in first_constructs:
            construct, line = first_constructs[module]
            parameters = {"line": line, "file": one_line(file.name), "what": construct}
            print(kit.locale("kit_newer", **parameters, **_versions(kit)))


def _versions(kit: _Kit) -> dict[str, str]:
    """Return the message parameters for the running Python and the Python used for grading."""
    running = sys.version_info[:2]
    return {"here": "{}.{}".format(*running), "made": "{}.{}".format(*kit.python)}
