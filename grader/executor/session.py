"""One executor: from the fork to its end it serves one session of one submission.

It is trusted up to the moment when the submission is imported, and not a moment longer: the code
below then shares its process with the submission, which can read and change all of it. What it
reports is therefore data about its own session and nothing more; the judge decides. Everything
used after the import is bound before it, so that an honest submission which shadows `json` or
overwrites `len` breaks itself only.
"""

from __future__ import annotations

import builtins
import inspect
import io
import marshal
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import repeat
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, NoReturn, TypeAlias

from grader.executor.channel import Channel, Reply, Request, json_encoder
from grader.executor.compiling import Code, compiled, described
from grader.executor.encoding import encode, is_atomic
from grader.executor.imports import ModuleCode
from grader.executor.instruments import Instruments
from grader.executor.metering import PLACEHOLDER, Meter
from grader.executor.raising import fell_short, raised
from grader.executor.rewriting import bound
from grader.executor.running import Programs
from grader.executor.stdout import Stderr, Stdout
from grader.executor.stops import Stops
from grader.executor.surroundings import Surroundings, clamped
from grader.protocol import (
    MAX_NAME_CHARS,
    RUN,
    SLEPT,
    SPENT,
    TYPE,
    ValueLimits,
)

Limits: TypeAlias = dict[str, int]

_BUILTINS: Final = frozenset(name for name in vars(builtins) if not name.startswith("_"))
_OWN_FRAMES: Final = 40
_FRAMES_PER_LEVEL: Final = 4
"""A submission that sets a lower recursion limit would only trip up our own code, which recurses
into what a step gives back."""
MAX_DEFINED_NAMES: Final = 500
"""Told come first those that are asked for, then others, from which a slip of spelling is seen."""
_MOST_ARGUMENTS: Final = 255
_TAKES_VARARGS: Final = inspect.CO_VARARGS
_NOTHING_DEFINED: Final[dict[str, object]] = {
    "value": None,
    "id": None,
    "bound": {},
    "defined": [],
    "takes": {},
    "absent": [],
    "stops": [],
}

RESERVE_BYTES: Final = 1 << 20
"""As much as Python asks the system for at once where it needs some for small objects."""
_reserve: Final = [bytes(RESERVE_BYTES)]
"""Given back to report that a submission has used up all memory; never touched, so it is free."""
_eval: Final = eval
_bytes: Final = bytes
_callable: Final = callable
_exit: Final = os._exit
_wait: Final = time.sleep
_set_recursion_limit: Final = sys.setrecursionlimit
_DEEPEST: Final = 100_000
"""Deeper than a submission can be, so that there is room to say why it ends."""
_FOR_EVER_S: Final = 3600
_unmarshal: Final = marshal.loads
_TextIOWrapper: Final = io.TextIOWrapper
_BytesIO: Final = io.BytesIO
_flush: Final = io.TextIOWrapper.flush


class LiveSession:
    """The modules, names and object identities of one session."""

    def __init__(
        self,
        channel: Channel,
        surroundings: Surroundings,
        limits: Limits,
        load: Request,
        codes: Mapping[str, Code] | None = None,
    ) -> None:
        """Serve what is to `load`; `codes` is what has been compiled of it, if it has."""
        self._channel: Final = channel
        self._surroundings: Final = surroundings
        self._limits: Final = limits
        self._file_names: Final = frozenset(module["file"] for module in load["modules"].values())
        self._files: Final[dict[str, bytes]] = load["files"]
        self._imports: Final[list[str]] = load["imports"]
        self._asked: Final[dict[str, tuple[str, ...]]] = load["asked"]
        self._now_s: Final[int | None] = load.get("now_s")
        self._environment: Final[dict[str, str]] = load.get("environment", {})
        overridden = load.get("overridden")
        self._hidden: Final = () if overridden is None else _BUILTINS.difference(overridden)
        """Names of the submission that steps do not know: they mean the built-ins."""
        self._stdout: Final = Stdout(self._limits["output_chars"])
        self._caps: Final = ValueLimits.among(limits)
        self._names: dict[str, Any] = {}
        self._identities: Final[dict[int, tuple[int, object]]] = {}
        settings = load.get("instruments")
        self._instruments: Final = settings and Instruments(settings, json_encoder())
        begins, cut = self._begin_cell, self._end_with_cut
        self._stops: Final = Stops(load["asked"], self._file_names, begins, cut)
        self._units_of_cells = 0
        spent = partial(self._end, SPENT)
        self._meter: Final = Meter(limits["session_units"], spent)
        codes = codes or {
            name: compiled(name, module, self._instruments)
            for name, module in load["modules"].items()
        }
        self._modules: Final = {
            name: ModuleCode(module["file"], codes[name], self._bound)
            for name, module in load["modules"].items()
        }
        self._load: Final = load
        self._again: Final = partial(LiveSession, channel, surroundings, limits, codes=codes)
        self._programs: Final = Programs(surroundings, self._stdout)
        self._keep: Final[bool] = load["keep"]
        sources = {name: module.get("source") for name, module in load["modules"].items()}
        self._fresh: Final = {
            name: source for name, source in sources.items() if source is not None
        }
        self.is_amid = False
        """Whether what was observed last is of one of several plans, and not the end of it."""
        self.has_loaded = False
        """Whether all that was to be imported could be."""

    def _bound(self, code: CodeType) -> CodeType:
        """Return `code` with what counts in the place of the text that stands for it."""
        if self._instruments is not None:
            code = self._instruments.bound(code)
        return bound(code, {PLACEHOLDER: self._meter})

    def _begin_cell(self) -> None:
        """Give the next cell of a notebook what a step may use."""
        self._units_of_cells += self._meter.take()
        self._meter.begin(self._limits["units"])
        self._surroundings.naps.begin_step()

    def _end_with_cut(self, cut: list[object]) -> NoReturn:
        """Say what is to be cut from a module, and end."""
        self._stops.cuts = False
        self._end({"cut": cut})

    def _end(self, why: Reply) -> NoReturn:
        """Say `why` the step under way has no end, and end with it.

        At the very limit of recursion there is no room even for this: then that is raised instead,
        and the next turn or call comes here again, from less deep.
        """
        _set_recursion_limit(_DEEPEST)
        self._stops.cut_here(why.get("spent", ""))
        give_room()
        try:
            self._channel.send(why)
            _exit(0)
        finally:
            _wait(_FOR_EVER_S)  # it has closed the channel itself: it is for the judge to end it

    def described(self, *, with_code: bool = True) -> Reply:
        """Return the reply to the load request: what is wrong with it, and its code if asked."""
        return {
            "modules": {
                name: described(self._modules[name].code, source, keep=self._keep and with_code)
                for name, source in self._fresh.items()
            }
        }

    def prepare(self) -> None:
        """Give the process the look of a fresh interpreter that runs the submission."""
        # Who restores a stream from `sys.__stdout__` must end up with the same one.
        for name, stream in (
            ("stdout", self._stdout),
            ("stderr", Stderr()),
            ("stdin", self._programs.keyboard),
        ):
            sys.__dict__[name] = sys.__dict__[f"__{name}__"] = stream
        os.environ.update(self._environment)
        lowest = _OWN_FRAMES + _FRAMES_PER_LEVEL * self._caps.value_depth
        highest = self._limits["recursion"]
        sys.setrecursionlimit = clamped(sys.setrecursionlimit, lowest, highest)
        self._surroundings.fill(self._modules, self._files, self._imports, self._names, self._now_s)
        most_ms = self._limits["sleep_ms"], self._limits["session_sleep_ms"]
        self._surroundings.naps.limit(*most_ms, partial(self._end, SLEPT))
        self._names[RUN] = self._programs.run
        self._names[TYPE] = self._programs.type
        self._surroundings.importer.stops = self._stops
        if self._instruments is not None:
            self._instruments.install(self._names)

    def run(self, request: Request, *, gathers: bool = False) -> Iterator[Reply]:
        """Import what is asked, run the steps in order, and yield an observation of each.

        Nothing runs after an import that failed. Behind a step that fell short it waits to be told
        what the others get, as that one's cost may change it.
        """
        plans = [_unmarshal(plan) for plan in request["plans"]]
        left = sum(len(codes) for codes, _ in plans)
        usual = self._limits["units"], self._limits["output_chars"]
        within = iter(request.get("within", repeat(usual)))
        if "import" in request:
            load = self._know if request.get("runs") else self._import
            imported = self._observe(partial(load, request["import"]), *usual)
            self.has_loaded = "raised" not in imported
            yield imported
            if not self.has_loaded:
                return
        for number, (codes, names) in enumerate(plans):
            if number:
                self._forget()
            self.is_amid = len(plans) > 1 or gathers
            for reached, (code, binds) in enumerate(zip(codes, names, strict=True), start=1):
                observation = self._observe(partial(self._evaluate, code, binds), *next(within))
                left -= 1
                waits = left > 0 and fell_short(observation)
                self.is_amid = self.is_amid and reached < len(codes) and not waits
                yield observation
                if waits:
                    answer = self._channel.receive()
                    if answer is None:
                        return
                    within = iter(answer["within"] or repeat(usual))

    def work_with(self, host: str, channel: Channel, first: Request) -> None:
        """Have a `host` work with what is at the other end of `channel`, from `first` on."""
        self._meter.let_go()  # the host has clocks of its own
        serve = self._surroundings.hosts[host]
        serve(channel, first, self._surroundings, self._file_names)

    def _observe(
        self, act: Callable[[], dict[str, object]], units: int, chars: int
    ) -> dict[str, object]:
        sys.stdout = self._stdout
        self._stdout.max_chars = chars
        self._surroundings.naps.begin_step()
        self._meter.begin(units)
        try:
            observation = act()
        except BaseException as error:
            if type(error) is MemoryError:  # asking it, or its bases, may take memory or lie
                give_room()
            observation = {"raised": raised(error, self._file_names)}
        has_room()
        _flush_wrapper()
        self._programs.stop_typing()
        observation.update(self._stdout.take())
        observation["units"] = self._meter.take() + self._units_of_cells
        self._units_of_cells = 0
        return observation

    def _import(self, asked: list[list[str]]) -> dict[str, object]:
        """Import the modules that are `asked`, bind them, and tell the names that steps now know.

        Each comes as the name that it is bound to and the name that it is imported by. Bound to `*`
        are the names that it defines.
        """
        self._names["__name__"] = "__main__"  # as at the prompt, for classes that steps define
        self._stops.cuts = True
        try:
            modules = [(name, __import__(imported_by)) for name, imported_by in asked]
        finally:
            self._stops.cuts = False
        self._arm()
        known: dict[str, object] = {}
        others: dict[str, object] = {}
        for (name, module), (_, imported_by) in zip(modules, asked, strict=True):
            names, prefix = module.__dict__, "" if name == "*" else f"{name}."
            wanted = [each for each in self._asked.get(imported_by, ()) if each in names]
            known.update((f"{prefix}{each}", names[each]) for each in wanted)
            some = _names_in(names)[: MAX_DEFINED_NAMES // len(modules)]
            others.update((f"{prefix}{each}", names[each]) for each in some)
            if name == "*":
                self._names.update(names)
                for each in (*self._hidden, *_from_elsewhere(names, {*wanted}, self._modules)):
                    self._names.pop(each, None)
            else:
                self._names[name] = module
        for name in list(others)[: max(0, MAX_DEFINED_NAMES - len(known))]:
            known.setdefault(name[:MAX_NAME_CHARS], others[name])
        return {
            **_NOTHING_DEFINED,
            "defined": list(known),
            "takes": dict(_taken(known)),
            "absent": self._surroundings.absent,
            "stops": self._stops.told,
        }

    def _know(self, asked: list[list[str]]) -> dict[str, object]:
        """Get ready to run the modules that are `asked` as programs; nothing of them runs yet."""
        for name, imported_by in asked:
            self._programs.know(name, imported_by, self._modules[imported_by])
        return {**_NOTHING_DEFINED}

    def _arm(self) -> None:
        """Let the instruments, where there are any, see the modules that have been imported."""
        if self._instruments is not None:
            imported = {name: sys.modules.get(name) for name in self._modules}
            self._instruments.arm({name: m for name, m in imported.items() if m is not None})

    def _evaluate(self, code: CodeType, binds: list[str]) -> dict[str, object]:
        self._names["__builtins__"] = self._surroundings.builtins
        value = _eval(code, self._names)
        encoded = encode(value, self._caps)  # if that fails, no object has been numbered
        given = {name: self._identity(self._names.get(name)) for name in binds}
        return {"value": encoded, "id": self._identity(value), "bound": given}

    def leave(self, following: Request) -> Callable[[], LiveSession]:
        """Let go of all that it knows; return what makes a session for what is `following`."""
        again = partial(self._again, {**self._load, **following})
        self._surroundings.clear()
        self._names.clear()
        if self._instruments is not None:  # code and they hold each other: nobody collects it
            vars(self._instruments.counters).clear()
        vars(self).clear()
        return again

    def _forget(self) -> None:
        """Let the objects of a plan go that no name holds: the next one has its own."""
        self._identities.clear()
        _flush_wrapper()
        self._stdout.take()  # what they print on their way out belongs to no step

    def _identity(self, value: object) -> int | None:
        """Return the number of this very object, kept alive so that the number stays its own."""
        if is_atomic(value):
            return None
        number, _ = self._identities.setdefault(id(value), (len(self._identities), value))
        return number


def _from_elsewhere(
    names: dict[str, Any], wanted: Collection[str], own: Collection[str]
) -> Iterator[str]:
    """Yield the built-ins in `names` that a star import brought, as that of `os` brings `open`.

    Steps mean Python's, unless what is `wanted` has that name. What a submission has written, in
    one of its `own` modules, is what its student would meet at home.
    """
    modules = [each for name, each in [*sys.modules.items()] if name not in own]
    spaces = [each.__dict__ for each in modules if type(each) is ModuleType]
    for name in _BUILTINS.difference(wanted):
        if name in names and any(space.get(name) is names[name] for space in spaces):
            yield name


def _names_in(namespace: dict[str, Any]) -> list[str]:
    """Return the names in `namespace` that are not Python's own."""
    return [name for name in namespace if type(name) is str and not name.startswith("__")]


def _taken(known: dict[str, object]) -> Iterator[tuple[str, list[int]]]:
    """Yield how many arguments those of the `known` functions take by place that tell of it.

    That is at least and at most. What cannot be called so takes none of any number.
    """
    for name, value in known.items():
        if type(value) is FunctionType:
            code, defaults = value.__code__, value.__defaults__ or ()
            most = _MOST_ARGUMENTS if code.co_flags & _TAKES_VARARGS else code.co_argcount
            least = code.co_argcount - len(defaults)
            named = code.co_kwonlyargcount > len(value.__kwdefaults__ or ())
            yield name, [1, 0] if named else [max(0, least), most]
        elif not _callable(value):
            yield name, [1, 0]


def give_room() -> None:
    """Give up what is kept to report that a submission has used up all memory."""
    _reserve.clear()


def has_room() -> bool:
    """Keep room for such a report again, where there is any; return whether there is."""
    if not _reserve:
        with suppress(MemoryError):  # the submission still holds what it has
            _reserve.append(_bytes(RESERVE_BYTES))
    return bool(_reserve)


def _flush_wrapper() -> None:
    """Have a `TextIOWrapper` around our standard output hand over what it still holds."""
    stream = sys.__dict__.get("stdout")
    if type(stream) is _TextIOWrapper:
        with suppress(BaseException):  # too much output is remembered anyway
            _flush(stream)
