"""The extension points for plug-ins: each seam maps names to objects that plug-ins provide.

Nothing else in the core refers to `grader.plugins`. The object behind a name is imported when it is
used; its plug-in might be missing. Third-party plug-ins are found through entry points. Searching
the entry points is slow, so it is done only if a name is in no table, or if nothing in a table
recognizes the hand-in.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

from grader.errors import UsageError
from grader.values.foreign_text import one_line

PLUGINS: Final = "grader.plugins"


class MissingPlugin(UsageError):
    """The plug-in that provides a name is not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seam:
    """An extension point for plug-ins of one kind."""

    title: str = ""
    """Text to put before a missing name in errors, such as `grader` before a verb."""
    group: str | None = None
    """The group of entry points for third-party plug-ins; None if there can be no such plug-ins."""
    needs: str | None = None
    """An attribute that each object of this kind must have."""
    table: Mapping[str, str]
    """The object for each name, as `module:attribute`, or just the `module`."""

    def __contains__(self, name: str) -> bool:
        """Return whether the table or a third-party plug-in provides `name`."""
        return name in self.table or name in self._entry_points()

    def names(self) -> list[str]:
        """Return the names in the table, then those of third-party plug-ins."""
        return [*self.table, *self._entry_points()]

    def load(self, name: str) -> Any:
        """Import and return the object called `name`.

        Raises `MissingPlugin` if its plug-in is not installed, `UsageError` if a third-party
        plug-in cannot be imported or lacks the attribute in `needs`, and `KeyError` if no plug-in
        has the name.
        """
        if (target := self.table.get(name)) is not None:
            return self._import_object(name, target)
        entry = self._entry_points()[name]
        try:
            plugin = entry.load()
        except (Exception, SystemExit) as error:  # importing third-party code may even exit
            raise self._loading_error(
                entry, f"cannot be imported: {one_line(str(error))}"
            ) from error
        if self.needs is not None and not hasattr(plugin, self.needs):
            raise self._loading_error(
                entry, f"provides {one_line(repr(plugin))}, which has no {self.needs}"
            )
        return plugin

    def _loading_error(self, entry: Any, problem: str) -> UsageError:
        """Return the error for a third-party plug-in that cannot be loaded or used."""
        return UsageError(
            f"the plug-in for {self.title} {one_line(entry.name)} {problem}",
            help=f"update or uninstall the package that provides {one_line(entry.value)}",
        )

    def find(self, name: str) -> Any | None:
        """Return the object called `name`, or None if its plug-in is not installed.

        Raises `UsageError` if a third-party plug-in cannot be imported or lacks the attribute in
        `needs`, and `KeyError` if no plug-in has the name.
        """
        with suppress(MissingPlugin):  # a core without this plug-in works, only without the ability
            return self.load(name)
        return None

    def load_installed(self) -> Iterator[Any]:
        """Yield the objects in the table, except those of plug-ins that are not installed."""
        for name in self.table:
            with suppress(MissingPlugin):
                yield self.load(name)

    def missing_plugins(self) -> set[str]:
        """Return the names of the plug-in packages in the table that are not installed."""
        paths = (path.split(".") for path in self.table.values())
        plugins = {path[2] for path in paths if ".".join(path[:2]) == PLUGINS}
        return {plugin for plugin in plugins if not _is_installed(f"{PLUGINS}.{plugin}")}

    def load_third_party(self) -> Iterator[Any]:
        """Yield the objects of third-party plug-ins that can be imported.

        Plug-ins that fail are skipped; `load` raises the error once a user names the plug-in.
        """
        for name in self._entry_points():
            with suppress(UsageError):
                yield self.load(name)

    def _import_object(self, name: str, target: str) -> Any:
        """Import and return the object at `target`, which has `name` in the table.

        Raises `MissingPlugin` if its plug-in is not installed.
        """
        module, _, attribute = target.partition(":")
        try:
            imported = importlib.import_module(module)
        except ModuleNotFoundError as error:
            missing = f"{error.name}."
            if not missing.startswith(f"{PLUGINS}."):
                raise  # the plug-in is there, but one of its own imports failed
            # If `grader.plugins` itself is missing, the error names no plug-in: use the target.
            module_name = module if missing == f"{PLUGINS}." else missing
            plugin = module_name.removeprefix(f"{PLUGINS}.").partition(".")[0]
            raise MissingPlugin(
                f"{self.title} {name}".lstrip()
                + f" needs the plug-in {plugin}, which is not installed",
                help="install all of sessiongrader, which includes it",
            ) from error
        return getattr(imported, attribute) if attribute else imported

    def _entry_points(self) -> Mapping[str, Any]:
        """Return the third-party entry points by name, without names that the table has."""
        if self.group is None:
            return {}
        from importlib.metadata import entry_points  # noqa: PLC0415 - slow; third-party names only

        return {
            entry.name: entry
            for entry in entry_points(group=self.group)
            # A third-party plug-in must not replace a part of the grader.
            if entry.name not in self.table
        }


def _is_installed(plugin: str) -> bool:
    """Return whether the plug-in package with this dotted name is installed."""
    try:
        return find_spec(plugin) is not None
    except ModuleNotFoundError:  # `grader.plugins` itself is not installed
        return False


def _verbs(plugin: str, *names: str) -> dict[str, str]:
    """Return table entries for verbs that have a module each in `plugin`'s folder `verbs`."""
    return {name: f"{PLUGINS}.{plugin}.verbs.{name}:command" for name in names}


VERBS: Final = Seam(
    title="grader",
    group="grader.verbs",
    needs="get_short_help_str",
    table={
        **{
            name: f"grader.cli.{name}:command"
            for name in ("grade", "plan", "report", "runs", "mark", "show", "check", "doctor")
        },
        "merge": f"{PLUGINS}.clusters.verb:command",
        "export": f"{PLUGINS}.platforms.verb:command",
        "pytest": f"{PLUGINS}.own_tests.verb:command",
        "kit": f"{PLUGINS}.kit.verb:command",
        "site": f"{PLUGINS}.site.verb:command",
        "similarity": f"{PLUGINS}.similarity.verb:command",
        **_verbs("authoring", "new", "sample", "derive", "generate", "audit", "pack", "schema"),
        **_verbs("authoring", "skeleton", "upgrade"),
        **_verbs("regrading", "regrade", "diff"),
        "desk": f"{PLUGINS}.desk.verb:command",
    },
)
"""The verbs that can follow `grader` on the command line, each a click command."""
PLATFORMS: Final = Seam(
    title="the layout",
    group="grader.platforms",
    needs="pages",
    table={
        "dodona": f"{PLUGINS}.platforms.dodona:DODONA",
        "gradescope": f"{PLUGINS}.platforms.gradescope:GRADESCOPE",
        "blackboard": f"{PLUGINS}.platforms.blackboard:BLACKBOARD",
        "moodle": f"{PLUGINS}.platforms.moodle:MOODLE",
        "brightspace": f"{PLUGINS}.platforms.brightspace:BRIGHTSPACE",
        "canvas": f"{PLUGINS}.platforms.canvas:CANVAS",
        "github": f"{PLUGINS}.platforms.github:GITHUB",
        "classroom50": f"{PLUGINS}.platforms.github:CLASSROOM_50",
        "drive": f"{PLUGINS}.platforms.drive:DRIVE",
    },
)
"""In order of trust: layouts with a table that maps files to students come first."""
EXTRAS: Final = Seam(
    table={
        "pictures": f"{PLUGINS}.drawing.making:PictureMaker",
        "calls": f"{PLUGINS}.drawing.call_trees:CallDrawer",
        "drawings": f"{PLUGINS}.drawing.views",
        "--junit": f"{PLUGINS}.ci.junit",
        "--github": f"{PLUGINS}.ci.github",
        "advice": f"{PLUGINS}.advice.advising:advice",
        "site": f"{PLUGINS}.site.linking:address",
        "prompt": f"{PLUGINS}.site.prompting:Prompt",
        "repairs": f"{PLUGINS}.repairs.searching:add_repairs",
        "--dodona": f"{PLUGINS}.dodona.judgement:write_judgement",
        "--engine": f"{PLUGINS}.clusters.engines:make_engine",
        "--sources": f"{PLUGINS}.similarity.layouts:write_sources",
        "--from-tests": f"{PLUGINS}.own_tests.deriving:derive_from_tests",
        "--from-tested": f"{PLUGINS}.dodona.tested_deriving:derive_from_tested",
        "--tested": f"{PLUGINS}.dodona.tested_writing:exercise_for_tested",
    },
)
"""Optional abilities of the core's verbs, loaded on demand."""
RESULTS: Final = Seam(
    title="--results",
    group="grader.results",
    needs="format_record",
    table={
        "gradescope": f"{PLUGINS}.results.gradescope:GRADESCOPE",
        "prairielearn": f"{PLUGINS}.results.prairielearn:PRAIRIELEARN",
        "classroom50": f"{PLUGINS}.results.classroom50:CLASSROOM_50",
        "coderunner": f"{PLUGINS}.results.coderunner:CODERUNNER",
        "vpl": f"{PLUGINS}.results.vpl:VPL",
        "junit": f"{PLUGINS}.ci.junit:JUNIT",
        "markdown": f"{PLUGINS}.ci.github:MARKDOWN",
        "sarif": f"{PLUGINS}.results.code_issues:SARIF",
        "codequality": f"{PLUGINS}.results.code_issues:CODE_QUALITY",
    },
)
"""The formats for the result of one submission, each a `ResultFormat`."""
