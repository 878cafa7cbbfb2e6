"""What executors are sent: the submission as a program, and the steps, in which order.

A session is sent as a whole, or as a case's own. A case's *own session* is the smallest one that
brings its step into the same state: the steps that bind a name which it uses, the earlier
successful actions on such names, those that the suite says are needed, and the scenery
(`grader.sandbox.scenery`). Observers and refused actions are left out, as they change nothing.

A submission can see ahead of time what it is sent. In a public session refused steps alone are
looked at, before and after. In any other one all steps are: what is asked about a step that must be
refused is what is asked about any.
"""

from __future__ import annotations

import ast
import base64
import marshal
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from functools import lru_cache, wraps
from types import CodeType
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from grader.errors import ProtocolError
from grader.protocol import STEP_FILE
from grader.sandbox.scenery import scenery
from grader.suite.model import Binds, Session
from grader.suite.vocabulary import STANDARD
from grader.verdict import Visibility

_P = ParamSpec("_P")
_T = TypeVar("_T")

_NEWER: Final = range(sys.version_info[1] + 1, 100)
"""Minor versions that are newer than ours."""
_HELPERS: Final = "_helpers_of_ours"
"""What helpers of ours are imported by."""
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
    newer: str | None = None
    """The version of Python that it is written for, where that is newer than ours."""


class FlakeSources(NamedTuple):
    """What the code of a module mentions that may differ from run to run."""

    sets: bool
    chance: bool


@dataclass(slots=True)
class Program:
    """A submission ready to be sent.

    The judge compiles nothing of it. An executor does, before any of it has run, and sends the
    compiled code home; later executors are sent that. To the judge it is text that it never looks
    into: code that lies about its source lies to executors of the same submission only.
    """

    sources: Mapping[str, tuple[str, str]]
    """File name and text of each module."""
    files: Mapping[str, bytes]
    imports: tuple[str, ...]
    binds: Binds = "names"
    parts: Mapping[str, str] = field(default_factory=dict)
    """What a module of the exercise is imported by, where that is not its name."""
    overridden: tuple[str, ...] | None = None
    """The built-ins for which steps take what the submission calls so; None stands for all."""
    now_s: int | None = None
    """What the clock says when a session begins, in seconds since 1970; None for our own choice."""
    loads: int = 0
    """How many executors it was sent to."""
    errors: dict[str, CompileError] = field(default_factory=dict)
    """Filled by the first load: why modules cannot be compiled, by the name of the module."""
    compiled: dict[str, bytes] = field(default_factory=dict)
    """The marshalled code of modules, as far as it has been sent home."""
    mentions: dict[str, FlakeSources] = field(default_factory=dict)
    """What the modules mention, as far as it is known."""
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
        overridden: tuple[str, ...] | None = None,
        now_s: int | None = None,
    ) -> Program:
        """Return the program with `sources`, (file name, text) by module name, and `files`.

        Besides its own modules it may import `imports`. Sessions know of it what `binds` says, but
        for built-ins that are not `overridden`. Its clock begins at `now_s`.
        """
        given = dict(sources), dict(files), tuple(imports)
        return cls(*given, binds, parts or {}, overridden, now_s)

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
            mentions={},
        )

    def on_helpers(self, module: str, source: str, names: Sequence[str]) -> Program:
        """Return the program in which `names` of its `module` are bound to those of our `source`.

        They are bound when all of the module has run, so its functions call ours from then on.
        """
        imported_by = self.parts.get(module, module)
        file, text = self.sources[imported_by]
        text += f"\nfrom {_HELPERS} import {', '.join(names)}\n"
        rebound = {imported_by: (file, text), _HELPERS: (f"{_HELPERS}.py", source)}
        return replace(
            self,
            sources={**self.sources, **rebound},
            loads=0,
            errors={},
            compiled={name: code for name, code in self.compiled.items() if name not in rebound},
            mentions={},
            lasts=True,
        )

    def to_be_rewritten(self) -> Program:
        """Return the same program, for executors that rewrite its sources before they compile."""
        return replace(self, loads=0, errors={}, compiled={}, mentions={}, lasts=True)

    def load_request(self, instruments: Mapping[str, Any] | None) -> bytes:
        """Return what the next executor is sent to load it, with `instruments` in it if given."""
        load: dict[str, object] = {
            "modules": {name: self._sent(name) for name in self.sources},
            "files": self.files,
            "imports": self.imports,
            "overridden": self.overridden,
            "now_s": self.now_s,
            # Most submissions need one session only, and have no use for what they compiled.
            "keep": self.lasts or self.loads > 0,
        }
        if instruments is not None:
            load["instruments"] = instruments
        self.loads += 1
        return marshal.dumps(load)

    def _sent(self, name: str) -> dict[str, str | bytes]:
        file, text = self.sources[name]
        if name in self.compiled:
            return {"file": file, "code": self.compiled[name]}
        return as_source(file, text)

    def take(self, reply: dict[str, Any]) -> None:
        """Keep what `reply` to the latest load request says; raises `ProtocolError`."""
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


def as_source(file: str, text: str) -> dict[str, str | bytes]:
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
        case {
            "error": str(),
            "message": str(),
            "line": line,
            "column": column,
            "newer": None | [3, int()] as newer,
            **others,
        }:
            place = {type(line), type(column)} <= {int, type(None)}
            return not others and place and (newer is None or newer[1] in _NEWER)
        case {"sets": bool(), "chance": bool(), "code": str() as code, **others}:
            return keep and not others and _is_base64(code)
        case {"sets": bool(), "chance": bool(), **others}:
            return not others
        case _:
            return False


def _is_base64(text: str) -> bool:
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except ValueError:
        return False


@unique
class Role(Enum):
    """Why an item stands in a plan."""

    STEP = "step"
    LOOK = "look"
    """Observes what a refused step must leave as it was, before it and after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing for the executor to do; it says nothing about what is expected of it."""

    role: Role
    step_index: int
    code: str
    is_expression: bool
    binds: tuple[str, ...]
    displays: bool = False
    """Whether it prints the values that it comes to, as the prompt does, and gives none."""
    runs: bool = False
    """Whether its session runs modules as programs; then none is imported before it."""
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
    """Return all steps of `session`, between their observers if they are `observed`."""
    return tuple(_items(session, range(len(session.steps)), observed))


@_once_per_session
def own_session(session: Session, index: int, *, observed: bool = True) -> tuple[Item, ...]:
    """Return the smallest session that tries step `index` in its proper state.

    Without `observed` the step stands alone, without the observers around it.
    """
    return tuple(_items(session, (*needed_steps(session, index), index), observed))


@_once_per_session
def needed_steps(session: Session, index: int) -> tuple[int, ...]:
    """Return the indexes of the earlier steps that bring step `index` into its state.

    Who asks the same for the second time in a row asks whether it is still so, and needs the first
    time too. The third has its own chance, so that one mistake is not paid for more than once.
    """
    wanted = set(session.steps[index].uses)
    if session.visibility is Visibility.PUBLIC:
        for code in session.steps[index].observers:
            wanted |= names_read(code)
    always = _scenery(session)
    needed: list[int] = []
    before: list[int] = []
    in_a_row = True
    for earlier in range(index - 1, -1, -1):
        step = session.steps[earlier]
        is_wanted = wanted & set(step.binds) or wanted & step.uses
        acts = step.always or earlier in always or (step.acts and is_wanted)
        in_a_row = in_a_row and not acts
        if in_a_row and step.code == session.steps[index].code:
            before.append(earlier)
        if acts:
            needed.append(earlier)
            # What a plain assignment binds has no older history that matters.
            wanted -= set(step.binds)
            wanted |= step.uses
    return tuple(sorted(needed + (before if len(before) == 1 else [])))


_scenery: Final = _once_per_session(scenery)


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


def _items(session: Session, indexes: Sequence[int], observed: bool) -> Iterator[Item]:
    """Yield the items of the steps `indexes`; two in a row share the look between them."""
    bound, runs = set[str](), session.runs
    observed = observed and any((session.looks, *(step.observers for step in session.steps)))
    for before, index in zip((None, *indexes), indexes, strict=False):
        if observed:
            yield from _looks(session, bound, before, index)
        yield _step_item(session, index, runs=runs)
        bound.update(_bound_by(session, index))
    if observed and indexes:
        yield from _looks(session, bound, indexes[-1], None)


def _looks(session: Session, bound: set[str], *around: int | None) -> Iterator[Item]:
    """Yield the looks between the steps `around` a place, where names are `bound` by then."""
    indexes = [index for index in around if index is not None]
    asked = [code for index in indexes for code in session.steps[index].observers]
    if session.visibility is not Visibility.PUBLIC:
        asked = list(session.looks)
    for code in dict.fromkeys(asked):
        if names_read(code) & _ever_bound(session) <= bound:
            yield Item(
                role=Role.LOOK, step_index=indexes[0], code=code, is_expression=True, binds=()
            )


@_once_per_session
def _ever_bound(session: Session) -> frozenset[str]:
    """Return the names that steps of `session` bind."""
    return frozenset(
        name for index in range(len(session.steps)) for name in _bound_by(session, index)
    )


def _bound_by(session: Session, index: int) -> tuple[str, ...]:
    """Return the names that step `index` binds; unless all is public, as if it is not refused."""
    step = session.steps[index]
    return step.binds if session.visibility is Visibility.PUBLIC else step.do.binds


def _step_item(session: Session, index: int, *, runs: bool) -> Item:
    step = session.steps[index]
    return Item(
        role=Role.STEP,
        step_index=index,
        code=step.code,
        is_expression=step.is_expression,
        binds=step.do.binds,
        displays=step.shows is not None,
        runs=runs,
        acts=step.acts,
    )


def request(items: Sequence[Item], imported: Imported | None = None, *, last: bool = True) -> bytes:
    """Return what an executor is sent to run `items`, after importing what is `imported`.

    It hangs up after the `last` request. The suite's own code is compiled here, once per run:
    executors share our interpreter.
    """
    codes = [_compiled(item.code, item.is_expression, item.displays) for item in items]
    asked: dict[str, object] = {} if imported is None else {"import": imported}
    if any(item.runs for item in items):
        asked["runs"] = True
    return marshal.dumps(
        {**asked, "codes": codes, "binds": [item.binds for item in items], "last": last}
    )


@lru_cache(_MOST_KEPT)
def _compiled(code: str, is_expression: bool, displays: bool) -> CodeType:
    if displays:
        prompt = ast.Interactive(ast.parse(code).body)
        return compile(prompt, STEP_FILE, "single", dont_inherit=True)
    return compile(code, STEP_FILE, "eval" if is_expression else "exec", dont_inherit=True)
