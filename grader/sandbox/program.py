"""A submission as executors are sent it, and what the first of them hands back.

The judge compiles nothing of a submission. An executor does, before any of it has run, and sends
the compiled code home; later executors are sent that. To the judge it is text that it never looks
into: code that lies about its source lies to executors of the same submission only.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from grader.errors import ProtocolError
from grader.suite.model import Binds
from grader.suite.vocabulary import STANDARD

Imported: TypeAlias = tuple[tuple[str, str], ...]
"""What a session imports: for each module the name that it is bound to, `*` for all that it defines
instead, and the name that it is imported by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileError:
    """Why a file of a submission cannot be compiled."""

    type_name: str
    message: str
    line: int | None
    column: int | None


@dataclass(slots=True)
class Program:
    """A submission ready to be sent: modules by name, files by name."""

    modules: dict[str, dict[str, str]]
    files: Mapping[str, str]
    imports: tuple[str, ...]
    binds: Binds = "names"
    parts: Mapping[str, str] = field(default_factory=dict)
    """What a module of the exercise is imported by, where that is not its name."""
    loads: int = 0
    """How many executors it was sent to."""
    errors: dict[str, CompileError] = field(default_factory=dict)
    """Filled by the first load: why modules cannot be compiled, by the name of the module."""
    sources: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """File name and text of each module, which `modules` loses once it is compiled."""
    lasts: bool = False
    """Whether it is known that more than one executor will load it."""

    @classmethod
    def of(
        cls,
        sources: Mapping[str, tuple[str, str]],
        files: Mapping[str, bytes],
        imports: Iterable[str] = STANDARD,
        *,
        binds: Binds = "names",
        parts: Mapping[str, str] | None = None,
    ) -> Program:
        """Return the program with `sources`, (file name, text) by module name, and `files`.

        Besides its own modules it may import `imports`. Sessions know of it what `binds` says.
        """
        return cls(
            binds=binds,
            imports=tuple(imports),
            modules={name: as_source(file, text) for name, (file, text) in sources.items()},
            files={name: base64.b64encode(data).decode("ascii") for name, data in files.items()},
            parts=parts or {},
            sources=dict(sources),
        )

    def imported(self, modules: tuple[str, ...]) -> Imported:
        """Return what a session on `modules` imports."""
        return tuple(
            ("*" if self.binds == "names" else name, self.parts.get(name, name)) for name in modules
        )

    def on_stand_ins(self, sources: Mapping[str, str]) -> Program:
        """Return the program with the `sources` of ours in place of its modules of those names.

        A file whose name differs by case is replaced under its own name too, for who imports that.
        """
        ours = {
            imported_by: (f"{name}.py", text)
            for name, text in sources.items()
            for imported_by in (name, self.parts.get(name, name))
        }
        replaced = {name: as_source(file, text) for name, (file, text) in ours.items()}
        return replace(
            self,
            modules={**self.modules, **replaced},
            parts={name: by for name, by in self.parts.items() if name not in sources},
            loads=0,
            errors={},
            sources={**self.sources, **ours},
        )

    def to_be_rewritten(self) -> Program:
        """Return the same program, for executors that rewrite its sources before they compile."""
        modules = {name: as_source(file, text) for name, (file, text) in self.sources.items()}
        return replace(self, modules=modules, loads=0, errors={}, lasts=True)

    def load_request(self, instruments: Mapping[str, Any] | None) -> bytes:
        """Return what the next executor is sent to load it, with `instruments` in it if given."""
        load = {
            "modules": self.modules,
            "files": self.files,
            "imports": self.imports,
            # Most submissions need one session only, and have no use for what they compiled.
            "keep": self.lasts or self.loads > 0,
        }
        if instruments is not None:
            load["instruments"] = instruments
        self.loads += 1
        return json.dumps(load).encode()

    def take(self, reply: dict[str, Any]) -> None:
        """Keep what `reply` to the latest load request says; raises `ProtocolError`."""
        sent = {name for name, module in self.modules.items() if "code" not in module}
        modules = _described(reply, sent, keep=self.lasts or self.loads > 1)
        for name, module in modules.items():
            if "code" in module:
                file = self.modules[name]["file"]
                self.modules[name] = {"file": file, "code": module["code"]}
            elif "error" in module:
                self.errors[name] = CompileError(
                    type_name=module["error"],
                    message=module["message"],
                    line=module["line"],
                    column=module["column"],
                )


def as_source(file: str, text: str) -> dict[str, str]:
    """Return a module that is yet to be compiled, as executors are sent it."""
    return {"file": file, "source": text}


def _described(reply: dict[str, Any], sent: set[str], *, keep: bool) -> dict[str, dict[str, Any]]:
    """Return what `reply` to a load request says of the modules `sent`; raises `ProtocolError`."""
    if reply == {"too_long": True}:
        return {}  # of code that is too long nothing is kept
    modules = reply.get("modules")
    if reply.keys() != {"modules"} or not isinstance(modules, dict) or modules.keys() != sent:
        raise ProtocolError("a reply about other modules")
    if not all(_is_description(module, keep=keep) for module in modules.values()):
        raise ProtocolError("a module of the wrong shape")
    return modules


def _is_description(module: object, *, keep: bool) -> bool:
    match module:
        case {"error": str(), "message": str(), "line": line, "column": column, **others}:
            return not others and {type(line), type(column)} <= {int, type(None)}
        case {"code": str() as code, **others}:
            return keep and not others and _is_base64(code)
        case _:
            return module == {}


def _is_base64(text: str) -> bool:
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except ValueError:
        return False
