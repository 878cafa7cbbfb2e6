"""What a kit does when it is run: find the file of the student, judge it, print what came of it."""

import argparse
import ast
import json
import os
import sys
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

from grader.cli.choosing import Asked, chosen_of, is_right, labels, print_asked
from grader.cli.given import told_to_student
from grader.cli.talk import show_error
from grader.errors import GraderError, UsageError
from grader.executor.syntax.newer import too_new
from grader.executor.syntax.source import ModuleText
from grader.executor.syntax.tree import Module
from grader.intake.rescue import defined_names
from grader.intake.submissions import collected, single_entry, understood
from grader.kit_data import decoded
from grader.pace import unhurried
from grader.reporting.wording import Locale
from grader.run.worker import Worker
from grader.sandbox.gate import Gate
from grader.sandbox.sandbox import FreshSandbox
from grader.suite.vocabulary import packages_among
from grader.values.display import one_line
from grader.verdict import Status, Verdict

EXIT_FAULT = 6
_OF_WHAT_IS_MISSING = frozenset(
    "AttributeError ImportError ModuleNotFoundError NameError SyntaxError TypeError".split()
)
"""What an older Python raises where a program uses something newer."""


def main(kit, suite_text, arguments):
    """Run the kit in the file `kit` with `arguments`; return the exit code."""
    data = json.loads(suite_text)
    suite = decoded(data["suite"])
    locale = Locale.of(suite.language)
    asked = _parser(kit, suite, locale).parse_args(arguments)
    try:
        beside = os.path.dirname(os.path.abspath(kit))
        path = Path(asked.path or beside)
        if os.path.abspath(path) == beside and len(suite.modules) < 2:
            path = _found(beside, kit, suite, locale)
        wanted = Asked(
            everything=asked.all,
            verbose=asked.v,
            wanted=asked.k,
            exitfirst=asked.x,
            last_failed=asked.lf,
        )
        _require_packages(suite, locale)
        suite = suite.changed(limits=unhurried(suite.limits))
        with closing(FreshSandbox()) as sandbox:
            with Worker(Gate(), ready=sandbox, start=FreshSandbox) as worker:
                submission = _submission(suite, path)
                record = chosen_of(worker.grade(suite, submission).record, path, wanted)
                print_asked(worker.shortened(suite, submission, record), wanted)
        _print_versions(record, submission, tuple(data["python"]), locale)
        if data["rules"]:
            print(locale("kit_rules", count=data["rules"]))
        if data["advice"]:
            print(locale("kit_advice"))
    except GraderError as error:
        show_error(error)
        return error.exit_code
    if record.status is Status.FAULT:
        return EXIT_FAULT
    return 0 if is_right(record) else 1


def _print_versions(record, submission, made, locale):
    """Say that marks are given with Python `made`, where that may matter."""
    here = sys.version_info[:2]
    versions = {"here": "%d.%d" % here, "made": "%d.%d" % made}
    missed = (
        case.verdict is Verdict.ERROR and (case.got or "").partition(":")[0] in _OF_WHAT_IS_MISSING
        for case in record.cases
    )
    if here < made and (record.status is not Status.GRADED or any(missed)):
        print(locale("kit_older", **versions))
    for module, file in submission.modules.items() if here > made else ():
        try:
            source = ModuleText(module, file.text)
            tree = ast.parse(file.text)
            found = sorted(too_new(Module(module, source, tree), made), key=lambda one: one.place[1])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if found:
            line, name = found[0].place[1], one_line(file.name)
            print(locale("kit_newer", line=line, file=name, what=found[0].what, **versions))


def _parser(kit, suite, locale):
    name = os.path.basename(kit)
    parser = argparse.ArgumentParser(
        prog=name,
        usage="python %s [FILE] [--all] [-v] [-k WORD] [-x] [--lf]" % name,
        description="%s\n\n%s" % (suite.title, locale("kit_about", kit=name)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", help=argparse.SUPPRESS)
    for option in ("--all", "-v", "-x", "--lf"):
        parser.add_argument(option, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-k", help=argparse.SUPPRESS)
    return parser


def _found(folder, kit, suite, locale):
    """Return the work of the student in `folder`, where the kit may lie too."""
    which = locale("kit_which", kit=os.path.basename(kit))
    (module,) = suite.modules or (suite.module,)
    if os.path.isfile(os.path.join(folder, module + ".py")):
        return Path(folder, module + ".py")
    wanted = {name.rpartition(".")[2] for name in suite.defines}
    others = [
        name
        for name in sorted(os.listdir(folder))
        if name.endswith(".py") and name != os.path.basename(kit)
    ]
    fitting = []
    for name in others:
        with open(os.path.join(folder, name), "rb") as file:
            if wanted & set(defined_names(file.read(1 << 20))):
                fitting.append(name)
    if len(fitting) == 1:
        return Path(folder, fitting[0])
    if fitting:
        files = one_line(", ".join(fitting))
        raise UsageError(locale("kit_several", files=files), help=which, labels=labels(locale))
    raise UsageError(locale("kit_none", names=", ".join(suite.defines)), help=which, labels=labels(locale))


def _submission(suite, path):
    try:
        hand_in = collected(single_entry(path))
    except GraderError as error:
        raise told_to_student(error, path, suite.language) from None
    return understood(hand_in, suite.modules or (suite.module,), suite.defines)


def _require_packages(suite, locale):
    """Raise `UsageError` where what the exercise is about is not installed."""
    absent = [each for each in packages_among(suite.imports) if find_spec(each) is None]
    if absent:
        python = os.path.basename(sys.executable or "python")
        said = {"packages": " ".join(absent), "python": python}
        way_out = locale("kit_packages_help", **said)
        raise UsageError(locale("kit_packages", **said), help=way_out, labels=labels(locale))
