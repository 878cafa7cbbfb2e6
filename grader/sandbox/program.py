"""A submission as a program: the request that loads it, and the executors' reply.

The judge does not compile a submission, nor look into its compiled code.
"""

from __future__ import annotations

import base64
import marshal
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, TypeAlias

from grader.errors import ProtocolError
from grader.sandbox.executor import ExecutorEnded
from grader.sandbox.observation import ImportObservation, Stop, decode_import
from grader.suite.session import Binds
from grader.suite.vocabulary import STANDARD
from grader.verdict import Verdict

_NEWER: Final = range(sys.version_info[1] + 1, 100)
"""Minor versions of Python that are newer than ours."""
_HELPERS: Final = "_helpers_of_ours"
"""The module name of helper code that replaces functions; see `on_helpers`."""
_MAX_LINES: Final = 1 << 31
_MAX_CUTS: Final = 20
"""Limited because each cut uses up a limit once."""
LIMITS: Final = {
    "units": Verdict.TIMED_OUT,
    "sleep": Verdict.TIMED_OUT,
    "memory": Verdict.MEMORY,
    "output": Verdict.OUTPUT,
}
"""Verdicts by the executor's names for the limits that can stop a module."""
Source: TypeAlias = dict[str, str | bytes | tuple[int, ...]]
"""A module in the form in which it is sent to executors."""
Imported: TypeAlias = tuple[tuple[str, str], ...]
"""The imports of a session: for each module the name to bind it to, or `*` to bind all its names
instead, and the name to import it by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileError:
    """Why a file of a submission cannot be compiled."""

    type_name: str
    message: str
    line: int | None
    column: int | None
    newer: str | None = None
    """The version of Python that it needs, if that is newer than ours."""


class FlakeSources(NamedTuple):
    """Whether a module mentions things that may differ from run to run."""

    sets: bool
    chance: bool


@dataclass(slots=True)
class Program:
    """A submission ready to be sent.

    The first executor compiles it, before any of it has run, and returns the compiled code, which
    is sent to later executors. The judge never looks into that: code that does not match its
    source can fool executors of the same submission only.
    """

    sources: Mapping[str, tuple[str, str]]
    """File name and text of each module."""
    files: Mapping[str, bytes]
    imports: tuple[str, ...]
    binds: Binds = "names"
    parts: Mapping[str, str] = field(default_factory=dict)
    """The name to import a module of the exercise by, where that is not its own name."""
    asked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names that the exercise asks for, by the module that should define them."""
    overridden: tuple[str, ...] | None = None
    """The built-ins that a definition of the submission replaces in steps; None means all."""
    now_s: int | None = None
    """The time at which a session starts, in seconds since 1970; None for the default."""
    loads: int = 0
    """How many executors it was sent to."""
    errors: dict[str, CompileError] = field(default_factory=dict)
    """Why modules cannot be compiled, by module name; filled by the first load."""
    cuts: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    """The lines from which a module, or a cell of a notebook, is cut off, each with the limit that
    it exceeded there; by module name."""
    then: Mapping[str, str] = field(default_factory=dict)
    """Code to run in a module after its own, by module name."""
    compiled: dict[str, bytes] = field(default_factory=dict)
    """The marshalled code of modules, as far as executors have returned it."""
    mentions: dict[str, FlakeSources] = field(default_factory=dict)
    """What the modules mention, as far as it is known."""
    lasts: bool = False
    """Whether more than one executor will certainly load it."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """The environment variables that it sees."""

    @classmethod
    def of(
        cls,
        sources: Mapping[str, tuple[str, str]],
        files: Mapping[str, bytes],
        imports: Iterable[str] = STANDARD,
        *,
        binds: Binds = "names",
        parts: Mapping[str, str] | None = None,
        asked: Mapping[str, tuple[str, ...]] | None = None,
        overridden: tuple[str, ...] | None = None,
        now_s: int | None = None,
    ) -> Program:
        """Return the program with `sources`, (file name, text) by module name, and `files`.

        Besides its own modules it may import `imports`. Sessions see the names that `binds` says,
        except built-ins that are not `overridden`; they always report names that are `asked`. Its
        clock starts at `now_s`.
        """
        contents = dict(sources), dict(files), tuple(imports)
        return cls(*contents, binds, parts or {}, asked or {}, overridden, now_s)

    def imported(self, modules: tuple[str, ...]) -> Imported:
        """Return the imports of a session on `modules`."""
        return tuple(
            ("*" if self.binds == "names" else name, self.parts.get(name, name)) for name in modules
        )

    def on_stand_ins(self, sources: Mapping[str, str]) -> Program:
        """Return the program with our `sources` in place of its modules with the same names.

        A file whose name differs in case is replaced under that name, too, as other modules may
        import it.
        """
        stand_ins = {
            imported_by: (f"{name}.py", text)
            for name, text in sources.items()
            for imported_by in (name, self.parts.get(name, name))
        }
        return replace(
            self,
            sources={**self.sources, **stand_ins},
            parts={
                name: imported_by for name, imported_by in self.parts.items() if name not in sources
            },
            cuts={name: lines for name, lines in self.cuts.items() if name not in stand_ins},
            loads=0,
            errors={},
            compiled={name: code for name, code in self.compiled.items() if name not in stand_ins},
            mentions={},
        )

    def on_helpers(self, module: str, source: str, names: Sequence[str]) -> Program:
        """Return the program with `names` in its `module` rebound to the ones in our `source`.

        They are rebound after the module has run, so its functions call ours from then on.
        """
        imported_by = self.parts.get(module, module)
        rebound = {imported_by, _HELPERS}
        return replace(
            self,
            sources={**self.sources, _HELPERS: (f"{_HELPERS}.py", source)},
            then={imported_by: f"from {_HELPERS} import {', '.join(names)}\n"},
            loads=0,
            errors={},
            compiled={name: code for name, code in self.compiled.items() if name not in rebound},
            mentions={},
            lasts=True,
        )

    def to_be_rewritten(self) -> Program:
        """Return the same program for executors that rewrite its sources before compiling them."""
        return replace(self, loads=0, errors={}, compiled={}, mentions={}, lasts=True)

    def load_request(self, instruments: Mapping[str, Any] | None) -> bytes:
        """Return the request to load it in the next executor, with `instruments` if given."""
        load: dict[str, object] = {
            "modules": {name: self._module_request(name) for name in self.sources},
            "files": self.files,
            "imports": self.imports,
            "asked": {self.parts.get(name, name): names for name, names in self.asked.items()},
            "overridden": self.overridden,
            "now_s": self.now_s,
            # Most submissions need only one session: returning the compiled code would be a waste.
            "keep": self.lasts or self.loads > 0,
        }
        if self.environment:
            load["environment"] = dict(self.environment)
        if instruments is not None:
            load["instruments"] = instruments
        self.loads += 1
        return marshal.dumps(load)

    def _module_request(self, name: str) -> Source:
        """Return a module as sent to executors: its compiled code, if known, or its source."""
        file, text = self.sources[name]
        if name in self.compiled:
            return {"file": file, "code": self.compiled[name]}
        source = as_source(file, text)
        if name in self.cuts:
            source["cuts"] = tuple(self.cuts[name])
        if name in self.then:
            source["then"] = self.then[name]
        return source

    def cut(self, reply: dict[str, Any]) -> bool:
        """If `reply` asks for a cut instead of reporting an import, cut the module and return True.

        Raises `ProtocolError` for an impossible cut, and `ExecutorEnded` for one too many.
        """
        if reply.keys() != {"cut"}:
            return False
        match reply["cut"]:
            case [str() as name, int() as line, str() as limit] if (
                name in self.sources and limit in LIMITS and 0 < line < _MAX_LINES
            ):
                earlier_cuts = self.cuts.get(name, {})
            case _:
                raise ProtocolError("a cut that cannot be")
        if (
            line in earlier_cuts or sum(map(len, self.cuts.values())) >= _MAX_CUTS
        ):  # it did not help
            raise ExecutorEnded(LIMITS[limit], f"{limit} of the import")
        self.cuts = {**self.cuts, name: {**earlier_cuts, line: limit}}
        self.compiled.pop(name, None)
        return True

    def imported_in(self, reply: dict[str, Any]) -> ImportObservation:
        """Return the observation of an import in `reply`, with the earlier cuts as stops."""
        imported = decode_import(reply)
        cut = tuple(
            Stop(file=self.sources[name][0], line=line, limit=LIMITS[limit])
            for name, lines in self.cuts.items()
            for line, limit in lines.items()
        )
        return replace(imported, stops=(*imported.stops, *cut)) if cut else imported

    def take(self, reply: dict[str, Any]) -> None:
        """Store the `reply` to the latest load request; raises `ProtocolError`."""
        sent = {*self.sources} - {*self.compiled}
        modules = _described(reply, sent, keep=self.lasts or self.loads > 1)
        for name, module in modules.items():
            if "sets" in module:
                self.mentions[name] = FlakeSources(module["sets"], module["chance"])
            if "code" in module:
                self.compiled[name] = base64.b64decode(module["code"])
            if "error" in module:
                self.errors[name] = CompileError(
                    type_name=module["error"],
                    message=module["message"],
                    line=module["line"],
                    column=module["column"],
                    newer=".".join(map(str, module["newer"])) if module["newer"] else None,
                )


def as_source(file: str, text: str) -> Source:
    """Return a module that is not compiled yet, in the form for executors."""
    return {"file": file, "source": text}


def _described(reply: dict[str, Any], sent: set[str], *, keep: bool) -> dict[str, dict[str, Any]]:
    """Return the facts by module in the `reply` to a load request; raises `ProtocolError`."""
    if reply == {"too_long": True}:
        return {}  # the compiled code did not fit into a reply
    modules = reply.get("modules")
    if reply.keys() != {"modules"} or not isinstance(modules, dict) or modules.keys() != sent:
        raise ProtocolError("a reply about other modules")
    if not all(_is_description(module, keep=keep) for module in modules.values()):
        raise ProtocolError("a module of the wrong shape")
    return modules


def _is_description(module: object, *, keep: bool) -> bool:
    match module:
        case {
            "error": str(),
            "message": str(),
            "line": line,
            "column": column,
            "newer": None | [3, int()] as newer,
            **others,
        }:
            has_valid_place = {type(line), type(column)} <= {int, type(None)}  # a bool is no place
            return not others and has_valid_place and (newer is None or newer[1] in _NEWER)
        case {"sets": bool(), "chance": bool(), "code": str() as code, **others}:
            return keep and not others and _is_base64(code)
        case {"sets": bool(), "chance": bool(), **others}:
            return not others
        case _:
            return False


def _is_base64(text: str) -> bool:
    try:
        # Compared, because `validate` ignores stray bits before the padding.
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except ValueError:
        return False
