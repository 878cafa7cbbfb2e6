"""The main program of a kit: it finds the student's file, judges it, and prints the result."""

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

from grader.cli.check_output import Asked, chosen_of, print_asked, student_error
from grader.cli.terminal import labels, misuse, show_error
from grader.errors import GraderError, UsageError
from grader.intake.rescue import defined_names
from grader.intake.submission import Submission
from grader.intake.submissions import collected, single_entry, understood
from grader.judging.preparing import runner_for
from grader.judging.record import Record
from grader.plugins.kit.data import decoded
from grader.reporting.wording import Locale, is_right
from grader.run.worker import Worker
from grader.sandbox.sandbox import FreshSandbox
from grader.suite.model import Suite
from grader.suite.vocabulary import packages_among
from grader.values.foreign_text import one_line
from grader.verdict import Status, Verdict

_EXIT_FAULT: Final = 6
_OF_WHAT_IS_MISSING: Final = frozenset(
    {
        *("AttributeError", "ImportError", "ModuleNotFoundError", "NameError"),
        *("SyntaxError", "TypeError"),
    }
)
"""Exceptions that an older Python raises for newer features."""
_MAX_SOURCE_BYTES: Final = 1 << 20


class _Kit(NamedTuple):
    """A kit: its path, its suite, and the Python version that made it."""

    path: str
    suite: Suite
    locale: Locale
    python: tuple[int, int]
    """The version of Python that marks are given with."""

    @property
    def name(self) -> str:
        """The name of the file."""
        return os.path.basename(self.path)


def main(path: str, suite_text: str, arguments: Sequence[str]) -> int:
    """Run the kit in the file at `path` with `arguments`; return the exit code."""
    data = json.loads(suite_text)
    suite: Suite = decoded(data["suite"])
    kit = _Kit(path, suite, Locale.of(suite.language), tuple(data["python"]))
    try:
        options = _options(kit, arguments)
        chosen = _chosen(kit, options.path)
        _require_packages(kit)
        record = _checked(kit, chosen, _asked(options))
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
    """Return the parsed `arguments`; raises a `UsageError` in the language of the exercise."""
    language, command = kit.suite.language, f"python {kit.name}"
    try:
        options, unknown = _parser(kit).parse_known_args(arguments)
    except argparse.ArgumentError as error:
        option = error.argument_name or ""
        raise misuse(language, "bare_option", option=option, command=command) from None
    if unknown:
        word = one_line(unknown[0])
        key = "option" if word.startswith("-") else "several"
        raise misuse(language, key, option=word, path=word, command=command)
    return options


def _parser(kit: _Kit) -> argparse.ArgumentParser:
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


def _asked(options: argparse.Namespace) -> Asked:
    return Asked(
        everything=options.all,
        verbose=options.v,
        wanted=options.k,
        exitfirst=options.x,
        last_failed=options.lf,
    )


def _require_packages(kit: _Kit) -> None:
    """Raise `UsageError` if a package that the exercise uses is not installed."""
    absent = [each for each in packages_among(kit.suite.imports) if find_spec(each) is None]
    if absent:
        packages, python = " ".join(absent), os.path.basename(sys.executable or "python")
        raise UsageError(
            kit.locale("kit_packages", packages=packages, python=python),
            help=kit.locale("kit_packages_help", packages=packages, python=python),
            labels=labels(kit.locale),
        )


def _chosen(kit: _Kit, path: str | None) -> Path:
    """Return the path of the student's work: `path`, or beside the kit."""
    beside = os.path.dirname(os.path.abspath(kit.path))
    chosen = os.path.abspath(path or beside)
    if chosen == beside and len(kit.suite.modules) < 2:
        return _found(beside, kit)
    return Path(path or beside)


def _found(folder: str, kit: _Kit) -> Path:
    """Return the only file in `folder` that can be the student's work; raises `UsageError`."""
    (module,) = kit.suite.modules
    if os.path.isfile(os.path.join(folder, f"{module}.py")):
        return Path(folder, f"{module}.py")
    wanted = {name.rpartition(".")[2] for name in kit.suite.defines}
    fitting = [
        path
        for path in sorted(Path(folder).glob("*.py"))
        if path.name != kit.name and wanted & _defined(path)
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        files = one_line(", ".join(path.name for path in fitting))
        reason = kit.locale("kit_several", files=files)
    else:
        reason = kit.locale("kit_none", names=", ".join(kit.suite.defines))
    way_out = kit.locale("kit_which", kit=kit.name)
    raise UsageError(reason, help=way_out, labels=labels(kit.locale))


def _defined(path: Path) -> set[str]:
    with path.open("rb") as file:
        return {*defined_names(file.read(_MAX_SOURCE_BYTES))}


def _checked(kit: _Kit, path: Path, asked: Asked) -> Record:
    """Grade the work at `path`, print the `asked` part of the result, and return the record."""
    suite = kit.suite
    # No colours: not every student's terminal knows them, and signs and words say the same.
    console = Console(highlight=False, color_system=None, legacy_windows=False)
    with closing(FreshSandbox()) as sandbox, Worker(0, sandbox, FreshSandbox) as worker:
        submission = _submission(suite, path)
        record = chosen_of(worker.grade(suite, submission).record, path, asked)
        print_asked(worker.shortened(suite, submission, record), asked, console)
        if sys.version_info[:2] < kit.python:
            _print_older(kit, record)
        elif sys.version_info[:2] > kit.python:
            _print_newer(kit, submission, sandbox)
    return record


def _submission(suite: Suite, path: Path) -> Submission:
    try:
        hand_in = collected(single_entry(path))
    except GraderError as error:
        raise student_error(error, path, suite.language) from None
    return understood(hand_in, suite.modules, suite.defines)


def _print_older(kit: _Kit, record: Record) -> None:
    """Say that marks are given with a newer Python, if that may matter."""
    missed = (
        case.verdict is Verdict.ERROR and (case.got or "").partition(":")[0] in _OF_WHAT_IS_MISSING
        for case in record.cases
    )
    if record.status is not Status.GRADED or any(missed):
        print(kit.locale("kit_older", **_versions(kit)))


def _print_newer(kit: _Kit, submission: Submission, sandbox: FreshSandbox) -> None:
    """Say which line of each file the older Python that gives marks cannot parse."""
    runner = runner_for(kit.suite, submission, sandbox)
    sources = runner.sources(submission.modules)
    reply = runner.asked({"survey": sources, "python": kit.python, "definitions": [], "sought": []})
    survey = (reply or {}).get("survey", {})
    # Reversed, so that the first of each file stays.
    first = {place[0]: (what, place[1]) for what, _, place in reversed(survey.get("too_new", []))}
    for module, file in submission.modules.items():
        if module in first:
            what, line = first[module]
            where = {"line": line, "file": one_line(file.name), "what": what}
            print(kit.locale("kit_newer", **where, **_versions(kit)))


def _versions(kit: _Kit) -> dict[str, str]:
    here = sys.version_info[:2]
    return {"here": "{}.{}".format(*here), "made": "{}.{}".format(*kit.python)}
