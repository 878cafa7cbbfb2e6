"""The command line: `grader VERB ...`. Verbs are imported only when they are used."""

from __future__ import annotations

import gc
import os
import sys
from typing import Final, cast

import click

from grader import __version__
from grader.cli.status_line import STATUS
from grader.errors import GraderError
from grader.seams import VERBS

EXIT_UNWRITABLE: Final = 6
_COLLECTION_THRESHOLD: Final = 100_000
"""A high threshold, because modules stay alive and decoded replies have no cycles."""
_HELP: Final = {
    "grade": "Grade a folder of hand-ins and write reports.",
    "plan": "Show who would be graded, and with which files.",
    "merge": "Put the shards of a run together.",
    "report": "Write the reports of a run again.",
    "runs": "List the runs in a folder.",
    "regrade": "Grade a run again, and show whose mark changes.",
    "diff": "Show whose mark changes between two runs, and why.",
    "mark": "Decide on a case or a rule yourself, and give the reason.",
    "desk": "Decide in a browser, one student at a time.",
    "export": "Write marks and pages for a platform to import.",
    "similarity": "Show which hand-ins in a class are more alike than expected.",
    "show": "Show one student's result in a run.",
    "check": "Check one file or folder of your own.",
    "new": "Make a course of your own, or an exercise in it.",
    "sample": "Write five exercises with hand-ins, to try out the grader.",
    "pytest": "Check a file or folder with pytest, one item per case.",
    "derive": "Derive a suite from a spec.",
    "generate": "Generate the hidden suite of an exercise.",
    "audit": "Measure how good the suite of an exercise is.",
    "kit": "Write a check that students run without installing anything.",
    "site": "Write pages that check code in a student's browser.",
    "pack": "Write suites that need no other file.",
    "schema": "Write what editors need to check suites as they are typed.",
    "skeleton": "Write the files that students start from.",
    "upgrade": "Convert files from an earlier version to the current formats.",
    "doctor": "Show how well this machine isolates code.",
}
"""The help of each built-in verb, in the order of `grader --help`."""


class _Verbs(click.Group):
    """A group that imports a verb only when it is called, so that `--help` is fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_HELP, *(name for name in VERBS.names() if name not in _HELP)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        with STATUS.showing("starting"):
            return cast(click.Command, VERBS.load(cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb that `args` begin with, and the rest of them.

        Raises `WrongName`, with a similar verb if there is one, if the verb is unknown.
        """
        name = args[0]
        if name not in VERBS and not name.startswith("-"):
            from difflib import get_close_matches  # noqa: PLC0415 - only needed after a mistake

            from grader.cli import mistakes  # noqa: PLC0415 - only needed after a mistake

            similar = next(iter(get_close_matches(name, VERBS.names(), n=1)), None)
            raise mistakes.WrongName(name, similar, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl([(name, self._verb_help(name)) for name in self.list_commands(ctx)])

    def _verb_help(self, name: str) -> str:
        """Return the one-line help of a verb, or why a third-party one cannot be loaded."""
        if name in _HELP:
            return _HELP[name]
        try:
            command: click.Command = VERBS.load(name)  # a third-party plug-in
        except GraderError as error:
            return error.message
        return command.get_short_help_str()


@click.command(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="grader")
def program() -> None:
    """Grade Python submissions against suites derived from example sessions.

    Data is written to standard output, messages to standard error. Exit codes: 0 done (check: all
    passed), 1 check failed, 2 usage error, 3 invalid suite, 4 host cannot isolate, 5 nothing to
    grade, 6 finished with faults, 130 interrupted.
    """


def main() -> None:
    """Run the command line; exit with an error code if it fails."""
    gc.set_threshold(_COLLECTION_THRESHOLD)
    # Searching for pydantic plug-ins is slow, and other packages must not change validation.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        run(program, "grader")
    finally:
        gc.freeze()  # avoids another collection of all modules at exit


def run(command: click.Command, name: str) -> None:
    """Run `command` as `name`; if it fails, print the error and exit with its code."""
    try:
        command.main(prog_name=name, standalone_mode=False)
        sys.stdout.flush()  # flushed here, so that a full disk raises an error that is caught below
    except OSError as error:  # about standard output: other files raise an `OutputError`
        sys.stdout = None  # stops the interpreter from trying again at exit
        if not isinstance(error, BrokenPipeError):
            click.echo(f"error: cannot write to standard output: {error.strerror}", err=True)
        sys.exit(EXIT_UNWRITABLE)
    except (click.ClickException, GraderError) as error:
        from grader.cli import mistakes  # noqa: PLC0415 - only needed after a mistake

        sys.exit(mistakes.show(error, sys.argv[1:]))
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)  # 128 + SIGINT, the convention of shells
