"""What executors are sent: the submission as a program, and the steps, in which order.

A session is sent as a whole, or as a case's own. A case's *own session* is the smallest one that
brings its step into the same state: the steps that bind a name which it uses, and the earlier
successful actions on such names. Observers and refused actions are left out, as they change
nothing.
"""

from __future__ import annotations

import ast
import base64
import json
import marshal
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from functools import lru_cache, wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from grader.errors import ProtocolError
from grader.suite.model import Binds, Session
from grader.suite.vocabulary import STANDARD

_P = ParamSpec("_P")
_T = TypeVar("_T")

_MOST_KEPT: Final = 4096
"""More lines, and more requests, than a suite has; what was used longest ago is dropped first."""
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
    """A submission ready to be sent.

    The judge compiles nothing of it. An executor does, before any of it has run, and sends the
    compiled code home; later executors are sent that. To the judge it is text that it never looks
    into: code that lies about its source lies to executors of the same submission only.
    """

    sources: Mapping[str, tuple[str, str]]
    """File name and text of each module."""
    files: Mapping[str, str]
    imports: tuple[str, ...]
    binds: Binds = "names"
    parts: Mapping[str, str] = field(default_factory=dict)
    """What a module of the exercise is imported by, where that is not its name."""
    loads: int = 0
    """How many executors it was sent to."""
    errors: dict[str, CompileError] = field(default_factory=dict)
    """Filled by the first load: why modules cannot be compiled, by the name of the module."""
    compiled: dict[str, str] = field(default_factory=dict)
    """The code of modules, as far as it has been sent home."""
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
        encoded = {name: base64.b64encode(data).decode("ascii") for name, data in files.items()}
        return cls(dict(sources), encoded, tuple(imports), binds, parts or {})

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
        return replace(
            self,
            sources={**self.sources, **ours},
            parts={name: by for name, by in self.parts.items() if name not in sources},
            loads=0,
            errors={},
            compiled={name: code for name, code in self.compiled.items() if name not in ours},
        )

    def to_be_rewritten(self) -> Program:
        """Return the same program, for executors that rewrite its sources before they compile."""
        return replace(self, loads=0, errors={}, compiled={}, lasts=True)

    def load_request(self, instruments: Mapping[str, Any] | None) -> bytes:
        """Return what the next executor is sent to load it, with `instruments` in it if given."""
        load: dict[str, object] = {
            "modules": {name: self._sent(name) for name in self.sources},
            "files": self.files,
            "imports": self.imports,
            # Most submissions need one session only, and have no use for what they compiled.
            "keep": self.lasts or self.loads > 0,
        }
        if instruments is not None:
            load["instruments"] = instruments
        self.loads += 1
        return json.dumps(load).encode()

    def _sent(self, name: str) -> dict[str, str]:
        file, text = self.sources[name]
        if name in self.compiled:
            return {"file": file, "code": self.compiled[name]}
        return as_source(file, text)

    def take(self, reply: dict[str, Any]) -> None:
        """Keep what `reply` to the latest load request says; raises `ProtocolError`."""
        sent = {*self.sources} - {*self.compiled}
        modules = _described(reply, sent, keep=self.lasts or self.loads > 1)
        for name, module in modules.items():
            if "code" in module:
                self.compiled[name] = module["code"]
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


@unique
class Role(Enum):
    """Why an item stands in a plan."""

    STEP = "step"
    BEFORE = "before"
    """Observes what a refused step must leave as it was."""
    AFTER = "after"
    """Observes the same after that step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing for the executor to do; it says nothing about what is expected of it."""

    role: Role
    step_index: int
    code: str
    is_expression: bool
    binds: tuple[str, ...]
    acts: bool = False
    """Whether later steps build on this one."""


def _once_per_session(
    work: Callable[Concatenate[Session, _P], _T],
) -> Callable[Concatenate[Session, _P], _T]:
    """Return `work`, keeping its results for as long as the session lives that they are about."""
    results: WeakKeyDictionary[Session, dict[Hashable, _T]] = WeakKeyDictionary()

    @wraps(work)
    def once(session: Session, /, *args: _P.args, **options: _P.kwargs) -> _T:
        kept = results.setdefault(session, {})
        key = (args, tuple(options.items()))
        if key not in kept:
            kept[key] = work(session, *args, **options)
        return kept[key]

    return once


@_once_per_session
def whole_session(session: Session, *, observed: bool = True) -> tuple[Item, ...]:
    """Return all steps of `session`; refused steps stand between their observers, if `observed`."""
    return tuple(
        item for index in range(len(session.steps)) for item in _items(session, index, observed)
    )


@_once_per_session
def own_session(session: Session, index: int, *, observed: bool = True) -> tuple[Item, ...]:
    """Return the smallest session that tries step `index` in its proper state.

    Without `observed` the step stands alone, without the observers around it.
    """
    setup = needed_steps(session, index)
    return (*(_step_item(session, each) for each in setup), *_items(session, index, observed))


@_once_per_session
def needed_steps(session: Session, index: int) -> tuple[int, ...]:
    """Return the indexes of the earlier steps that bring step `index` into its state."""
    wanted = set(session.steps[index].uses)
    for code in session.steps[index].observers:
        wanted |= names_read(code)
    needed = []
    for earlier in range(index - 1, -1, -1):
        step = session.steps[earlier]
        if step.acts and (wanted & set(step.binds) or wanted & step.uses):
            needed.append(earlier)
            # What a plain assignment binds has no older history that matters.
            wanted -= set(step.binds)
            wanted |= step.uses
    return tuple(reversed(needed))


@lru_cache(_MOST_KEPT)
def names_read(code: str) -> frozenset[str]:
    """Return the names that `code` of a suite reads."""
    nodes = ast.walk(ast.parse(code))
    return frozenset(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


@lru_cache(_MOST_KEPT)
def definitions_read(code: str) -> frozenset[str]:
    """Return the names that `code` of a suite reads, and what it reads of them: `Board.drop_at`."""
    nodes = ast.walk(ast.parse(code))
    return names_read(code) | {
        f"{node.value.id}.{node.attr}"
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and isinstance(node.ctx, ast.Load)
    }


def _items(session: Session, index: int, observed: bool) -> tuple[Item, ...]:
    """Return the item of a step, between its observers if it is `observed`."""
    looks = session.steps[index].observers if observed else ()
    before, after = (
        [
            Item(role=role, step_index=index, code=code, is_expression=True, binds=())
            for code in looks
        ]
        for role in (Role.BEFORE, Role.AFTER)
    )
    return (*before, _step_item(session, index), *after)


def _step_item(session: Session, index: int) -> Item:
    step = session.steps[index]
    return Item(
        role=Role.STEP,
        step_index=index,
        code=step.code,
        is_expression=step.is_expression,
        binds=step.binds,
        acts=step.acts,
    )


@lru_cache(_MOST_KEPT)
def request(items: tuple[Item, ...], imported: Imported | None = None) -> bytes:
    """Return what an executor is sent to run `items`, after importing what is `imported`.

    The suite's own code is compiled here, once per run: executors share our interpreter.
    """
    codes = tuple(
        compile(item.code, "<session>", "eval" if item.is_expression else "exec", dont_inherit=True)
        for item in items
    )
    asked: dict[str, object] = {} if imported is None else {"import": imported}
    asked["code"] = base64.b64encode(marshal.dumps(codes)).decode("ascii")
    asked["binds"] = [item.binds for item in items]
    return json.dumps(asked).encode()
