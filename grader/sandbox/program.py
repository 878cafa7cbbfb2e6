"""A submission as a program, the request that loads it, and the executors' reply to that request.

The judge neither compiles a submission nor inspects its compiled code.
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
from grader.suite.vocabulary import STANDARD_MODULES
from grader.verdict import Verdict

_NEWER: Final = range(sys.version_info[1] + 1, 100)
"""Minor versions of Python 3 that are newer than the running one."""
_HELPERS: Final = "_helpers_of_ours"
"""The module name of helper code that replaces functions; see `with_helpers`."""
_MAX_LINES: Final = 1 << 31
"""CPython stores line numbers as C integers, so no real line number is higher."""
_MAX_CUTS: Final = 20
"""The number of cuts is limited because each one uses up a whole limit."""
_LIMIT_VERDICTS: Final = {
    "units": Verdict.TIMED_OUT,
    "sleep": Verdict.TIMED_OUT,
    "memory": Verdict.MEMORY,
    "output": Verdict.OUTPUT,
}
"""Verdicts for the limits that can stop a module, keyed by the executor's names for them."""
Source: TypeAlias = dict[str, str | bytes | tuple[int, ...]]
"""A module as it is sent to executors."""
Imported: TypeAlias = tuple[tuple[str, str], ...]
"""The imports of a session, a pair for each module: the name to bind the module to, or `*` to bind
all its names instead, and the name by which it is imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileError:
    """Why a module of a submission cannot be compiled."""

    type_name: str
    message: str
    line: int | None
    column: int | None
    newer: str | None = None
    """The Python version that the module needs, if that is newer than the running one."""


class FlakeSources(NamedTuple):
    """Whether a module mentions sets or sources of randomness, which can differ between runs."""

    sets: bool
    randomness: bool


@dataclass(slots=True)
class Program:
    """A submission that is ready to be sent to executors.

    The first executor compiles it before running any of it, and returns the compiled code, which is
    sent to later executors. The judge never inspects that code: if it does not match its source, it
    can only affect executors of the same submission.
    """

    sources: Mapping[str, tuple[str, str]]
    """The file name and the text of each module, keyed by module name."""
    files: Mapping[str, bytes]
    imports: tuple[str, ...]
    binds: Binds = "names"
    import_names: Mapping[str, str] = field(default_factory=dict)
    """The name by which a module of the exercise is imported, where it differs from its own
    name."""
    required_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names that the exercise requires, keyed by the module that should define them."""
    overridden: tuple[str, ...] | None = None
    """The built-ins that definitions in the submission can replace in steps; None means all."""
    now_s: int | None = None
    """The time that the program's clock shows when a session starts, as a Unix timestamp; None
    means the default."""
    loads: int = 0
    """How many executors the program has been sent to."""
    errors: dict[str, CompileError] = field(default_factory=dict)
    """Why modules cannot be compiled, keyed by module name; set by the first load."""
    cuts: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    """The lines from which a module, or a notebook cell, is cut off, keyed by module name. Each
    line maps to the limit that was exceeded there."""
    appended_code: Mapping[str, str] = field(default_factory=dict)
    """Code to run in a module after its own code, keyed by module name."""
    compiled: dict[str, bytes] = field(default_factory=dict)
    """The marshalled code that executors have returned, keyed by module name."""
    mentions: dict[str, FlakeSources] = field(default_factory=dict)
    """What modules mention, keyed by module name; set by the first load."""
    is_reused: bool = False
    """Whether more than one executor is certain to load the program."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """The environment variables that the program sees."""

    @classmethod
    def from_sources(
        cls,
        sources: Mapping[str, tuple[str, str]],
        files: Mapping[str, bytes],
        imports: Iterable[str] = STANDARD_MODULES,
        *,
        binds: Binds = "names",
        parts: Mapping[str, str] | None = None,
        required_names: Mapping[str, tuple[str, ...]] | None = None,
        overridden: tuple[str, ...] | None = None,
        now_s: int | None = None,
    ) -> Program:
        """Return the program with these `sources` and `files`.

        `sources` maps module names to pairs of file name and text. Besides its own modules, the
        program can import `imports`. `binds` chooses how sessions see its names; built-ins that are
        not `overridden` keep their meaning. Imports always report the `required_names`. The
        program's clock starts at `now_s`.
        """
        contents = dict(sources), dict(files), tuple(imports)
        return cls(*contents, binds, parts or {}, required_names or {}, overridden, now_s)

    def session_imports(self, modules: tuple[str, ...]) -> Imported:
        """Return the imports of a session on `modules`."""
        return tuple(
            ("*" if self.binds == "names" else name, self.import_names.get(name, name))
            for name in modules
        )

    def with_stand_ins(self, sources: Mapping[str, str]) -> Program:
        """Return the program with our `sources` in place of its modules with the same names.

        A module that is imported by another name, because its file name differs in case, is
        replaced under that name as well, because other modules might import it.
        """
        stand_ins = {
            import_name: (f"{name}.py", text)
            for name, text in sources.items()
            for import_name in (name, self.import_names.get(name, name))
        }
        return replace(
            self,
            sources={**self.sources, **stand_ins},
            import_names={
                name: import_name
                for name, import_name in self.import_names.items()
                if name not in sources
            },
            cuts={name: lines for name, lines in self.cuts.items() if name not in stand_ins},
            loads=0,
            errors={},
            compiled={name: code for name, code in self.compiled.items() if name not in stand_ins},
            mentions={},
        )

    def with_helpers(self, module: str, source: str, names: Sequence[str]) -> Program:
        """Return the program with `names` in its `module` rebound to the functions in our `source`.

        The names are rebound once the module has run, so from then on its functions call ours.
        """
        import_name = self.import_names.get(module, module)
        rebound = {import_name, _HELPERS}
        return replace(
            self,
            sources={**self.sources, _HELPERS: (f"{_HELPERS}.py", source)},
            appended_code={import_name: f"from {_HELPERS} import {', '.join(names)}\n"},
            loads=0,
            errors={},
            compiled={name: code for name, code in self.compiled.items() if name not in rebound},
            mentions={},
            is_reused=True,
        )

    def for_rewriting(self) -> Program:
        """Return the same program for executors that rewrite its sources before compiling them."""
        return replace(self, loads=0, errors={}, compiled={}, mentions={}, is_reused=True)

    def load_request(self, instruments: Mapping[str, Any] | None) -> bytes:
        """Return the request to load the program with `instruments`, and count one more load."""
        load: dict[str, object] = {
            "modules": {name: self._module_request(name) for name in self.sources},
            "files": self.files,
            "imports": self.imports,
            "asked": {
                self.import_names.get(name, name): names
                for name, names in self.required_names.items()
            },
            "overridden": self.overridden,
            "now_s": self.now_s,
            # Most submissions need only one session, so the first reply omits the compiled code.
            "keep": self.is_reused or self.loads > 0,
        }
        if self.environment:
            load["environment"] = dict(self.environment)
        if instruments is not None:
            load["instruments"] = instruments
        self.loads += 1
        return marshal.dumps(load)

    def _module_request(self, name: str) -> Source:
        """Return the module `name` as sent to executors: compiled if possible, else as source."""
        file, text = self.sources[name]
        if name in self.compiled:
            return {"file": file, "code": self.compiled[name]}
        source = as_source(file, text)
        if name in self.cuts:
            source["cuts"] = tuple(self.cuts[name])
        if name in self.appended_code:
            source["then"] = self.appended_code[name]
        return source

    def cut(self, reply: dict[str, Any]) -> bool:
        """Cut a module if `reply` requests that, and return whether it does.

        Otherwise `reply` reports an import. Raises `ProtocolError` for an impossible cut, and
        `ExecutorEnded` if the line has been cut before or there are too many cuts.
        """
        if reply.keys() != {"cut"}:
            return False
        match reply["cut"]:
            case [str() as name, int() as line, str() as limit] if (
                name in self.sources and limit in _LIMIT_VERDICTS and 0 < line < _MAX_LINES
            ):
                earlier_cuts = self.cuts.get(name, {})
            case _:
                raise ProtocolError("an impossible cut")
        # If the line has been cut before, that did not keep the module within its limits.
        if line in earlier_cuts or sum(map(len, self.cuts.values())) >= _MAX_CUTS:
            raise ExecutorEnded(_LIMIT_VERDICTS[limit], f"{limit} of the import")
        self.cuts = {**self.cuts, name: {**earlier_cuts, line: limit}}
        self.compiled.pop(name, None)  # the executor cuts the source before it compiles it
        return True

    def import_observation(self, reply: dict[str, Any]) -> ImportObservation:
        """Return the observation of an import in `reply`, with the earlier cuts added as stops.

        Raises `ProtocolError` if it is malformed.
        """
        imported = decode_import(reply)
        cut_stops = tuple(
            Stop(file=self.sources[name][0], line=line, limit=_LIMIT_VERDICTS[limit])
            for name, lines in self.cuts.items()
            for line, limit in lines.items()
        )
        return replace(imported, stops=(*imported.stops, *cut_stops)) if cut_stops else imported

    def store_reply(self, reply: dict[str, Any]) -> None:
        """Store the `reply` to the latest load request.

        Raises `ProtocolError` if it is malformed.
        """
        # `loads` already counts this request; see `load_request` for when code is kept.
        sent_modules = {*self.sources} - {*self.compiled}
        modules = _module_facts(reply, sent_modules, keep=self.is_reused or self.loads > 1)
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
    """Return a module that is not compiled yet, in the form in which executors receive it."""
    return {"file": file, "source": text}


def _module_facts(
    reply: dict[str, Any], sent_modules: set[str], *, keep: bool
) -> dict[str, dict[str, Any]]:
    """Return the facts in the `reply` to a load request, keyed by module name.

    They must be about `sent_modules`, and can contain code only with `keep`. Raises
    `ProtocolError` if they are malformed.
    """
    if reply == {"too_long": True}:
        return {}  # the compiled code does not fit into a reply
    modules = reply.get("modules")
    if (
        reply.keys() != {"modules"}
        or not isinstance(modules, dict)
        or modules.keys() != sent_modules
    ):
        raise ProtocolError("a reply about modules other than those sent")
    if not all(_are_module_facts(module, keep=keep) for module in modules.values()):
        raise ProtocolError("malformed facts about a module")
    return modules


def _are_module_facts(module: object, *, keep: bool) -> bool:
    """Return whether `module` has the form of the facts about a module in a load reply."""
    match module:
        case {
            "error": str(),
            "message": str(),
            "line": line,
            "column": column,
            "newer": None | [3, int()] as newer,
            **extra_facts,
        }:
            has_valid_position = {type(line), type(column)} <= {int, type(None)}  # not a bool
            return not extra_facts and has_valid_position and (newer is None or newer[1] in _NEWER)
        case {"sets": bool(), "chance": bool(), "code": str() as code, **extra_facts}:
            return keep and not extra_facts and _is_base64(code)
        case {"sets": bool(), "chance": bool(), **extra_facts}:
            return not extra_facts
        case _:
            return False


def _is_base64(text: str) -> bool:
    """Return whether `text` is the canonical base64 encoding of some bytes."""
    try:
        # Encoded again, because `validate` ignores stray bits before the padding.
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except ValueError:
        return False
