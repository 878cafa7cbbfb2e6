"""One session of one submission in an executor.

The process is trusted only until the submission is imported: after that the submission shares it
with the code below, and can read and change all of it. So its reports are data about its own
session and nothing more; the judge decides. Everything used after the import is bound before it,
so that an honest submission which shadows `json` or overwrites `len` breaks only itself.
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
from grader.executor.compiling import Code, compile_module, describe_code
from grader.executor.encoding import encode, is_atomic
from grader.executor.imports import ModuleCode
from grader.executor.instruments import Instruments
from grader.executor.metering import PLACEHOLDER, Meter
from grader.executor.raising import exceeded_limit, raised
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
_OUR_FRAMES: Final = 40
_FRAMES_PER_LEVEL: Final = 4
"""A submission may not set a lower recursion limit: our own code recurses into the value of a
step."""
MAX_DEFINED_NAMES: Final = 500
"""Requested names are reported first, then others, which show misspellings."""
_MAX_ARGUMENTS: Final = 255
_TAKES_VARARGS: Final = inspect.CO_VARARGS
_NO_DEFINITIONS: Final[dict[str, object]] = {
    "value": None,
    "id": None,
    "bound": {},
    "defined": [],
    "takes": {},
    "absent": [],
    "stops": [],
}

RESERVE_BYTES: Final = 1 << 20
"""The size of the blocks that Python requests from the system for small objects."""
_reserve: Final = [bytes(RESERVE_BYTES)]
"""Freed to report that a submission has used up all memory; never written, so it costs nothing."""
_eval: Final = eval
_bytes: Final = bytes
_callable: Final = callable
_exit: Final = os._exit
_sleep: Final = time.sleep  # the real one, bound before it is pinned
_set_recursion_limit: Final = sys.setrecursionlimit
_MAX_DEPTH: Final = 100_000
"""Deeper than a submission can be, so that reporting its end does not hit the limit."""
_FOREVER_S: Final = 3600
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
        """Serve the `load` request; `codes` are its modules if they are already compiled."""
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
        """Names of the submission that steps do not see: there they mean the built-ins."""
        self._stdout: Final = Stdout(self._limits["output_chars"])
        self._caps: Final = ValueLimits.among(limits)
        self._names: dict[str, Any] = {}
        self._identities: Final[dict[int, tuple[int, object]]] = {}
        instrument_settings = load.get("instruments")
        self._instruments: Final = instrument_settings and Instruments(
            instrument_settings, json_encoder()
        )
        begin_cell, cut = self._begin_cell, self._end_with_cut
        self._stops: Final = Stops(load["asked"], self._file_names, begin_cell, cut)
        self._units_of_cells = 0
        spent = partial(self._end, SPENT)
        self._meter: Final = Meter(limits["session_units"], spent)
        codes = codes or {
            name: compile_module(name, module, self._instruments)
            for name, module in load["modules"].items()
        }
        self._modules: Final = {
            name: ModuleCode(module["file"], codes[name], self._bound)
            for name, module in load["modules"].items()
        }
        self._load: Final = load
        self._new_session: Final = partial(LiveSession, channel, surroundings, limits, codes=codes)
        self._programs: Final = Programs(surroundings, self._stdout)
        self._keep: Final[bool] = load["keep"]
        sources = {name: module.get("source") for name, module in load["modules"].items()}
        self._sources: Final = {
            name: source for name, source in sources.items() if source is not None
        }
        self.is_amid = False
        """Whether more replies follow soon, so that the last observation may be sent with them."""
        self.has_loaded = False
        """Whether all requested imports succeeded."""

    def _bound(self, code: CodeType) -> CodeType:
        """Return `code` with the instruments and the meter in place of their placeholders."""
        if self._instruments is not None:
            code = self._instruments.bound(code)
        return bound(code, {PLACEHOLDER: self._meter})

    def _begin_cell(self) -> None:
        """Give the next cell of a notebook the limits of a step."""
        self._units_of_cells += self._meter.take()
        self._meter.begin(self._limits["units"])
        self._surroundings.naps.begin_step()

    def _end_with_cut(self, cut: list[object]) -> NoReturn:
        """Report what to cut from a module, and end the executor."""
        self._stops.cuts = False
        self._end({"cut": cut})

    def _end(self, why: Reply) -> NoReturn:
        """Report `why` the current step is stopped, and end the executor.

        At the recursion limit even this may raise `RecursionError`. Then the next counted turn or
        call tries again, at a lower depth.
        """
        _set_recursion_limit(_MAX_DEPTH)
        self._stops.cut_here(why.get("spent", ""))
        give_room()
        try:
            self._channel.send(why)
            _exit(0)
        finally:
            _sleep(_FOREVER_S)  # the submission closed the channel: the judge will end this process

    def describe_modules(self, *, with_code: bool = True) -> Reply:
        """Return the reply to the load request: errors, and the compiled code if asked for."""
        return {
            "modules": {
                name: describe_code(self._modules[name].code, source, keep=self._keep and with_code)
                for name, source in self._sources.items()
            }
        }

    def prepare(self) -> None:
        """Make the process look like a fresh interpreter that runs the submission."""
        # A program that restores a stream from `sys.__stdout__` must get the same one.
        for name, stream in (
            ("stdout", self._stdout),
            ("stderr", Stderr()),
            ("stdin", self._programs.keyboard),
        ):
            sys.__dict__[name] = sys.__dict__[f"__{name}__"] = stream
        os.environ.update(self._environment)
        min_recursion = _OUR_FRAMES + _FRAMES_PER_LEVEL * self._caps.value_depth
        max_recursion = self._limits["recursion"]
        sys.setrecursionlimit = clamped(sys.setrecursionlimit, min_recursion, max_recursion)
        self._surroundings.fill(self._modules, self._files, self._imports, self._names, self._now_s)
        sleep_limits_ms = self._limits["sleep_ms"], self._limits["session_sleep_ms"]
        self._surroundings.naps.limit(*sleep_limits_ms, partial(self._end, SLEPT))
        self._names[RUN] = self._programs.run
        self._names[TYPE] = self._programs.type
        self._surroundings.importer.stops = self._stops
        if self._instruments is not None:
            self._instruments.install(self._names)

    def run(self, request: Request, *, gathers: bool = False) -> Iterator[Reply]:
        """Import the requested modules, run the steps in order, and yield an observation of each.

        Nothing runs after a failed import. After a step that exceeded a limit, wait for the judge
        to send the limits of the remaining steps, which may then be lower.
        """
        plans = [_unmarshal(plan) for plan in request["plans"]]
        steps_left = sum(len(codes) for codes, _ in plans)
        usual = self._limits["units"], self._limits["output_chars"]
        step_limits = iter(request.get("within", repeat(usual)))
        if "import" in request:
            import_modules = self._prepare_programs if request.get("runs") else self._import
            imported = self._observe(partial(import_modules, request["import"]), *usual)
            self.has_loaded = "raised" not in imported
            yield imported
            if not self.has_loaded:
                return
        for number, (codes, names) in enumerate(plans):
            if number:
                self._end_plan()
            self.is_amid = len(plans) > 1 or gathers
            for position, (code, binds) in enumerate(zip(codes, names, strict=True), start=1):
                observation = self._observe(
                    partial(self._evaluate, code, binds), *next(step_limits)
                )
                steps_left -= 1
                waits = steps_left > 0 and exceeded_limit(observation)
                self.is_amid = self.is_amid and position < len(codes) and not waits
                yield observation
                if waits:
                    reply = self._channel.receive()
                    if reply is None:
                        return
                    step_limits = iter(reply["within"] or repeat(usual))

    def work_with(self, host: str, channel: Channel, first: Request) -> None:
        """Let the plug-in `host` serve `channel`, from message `first` on."""
        self._meter.let_go()  # the host has its own clocks
        serve = self._surroundings.hosts[host]
        serve(channel, first, self._surroundings, self._file_names)

    def _observe(
        self, run: Callable[[], dict[str, object]], units: int, chars: int
    ) -> dict[str, object]:
        """Call `run` within these limits; return its result or exception, its output and units."""
        sys.stdout = self._stdout
        self._stdout.max_chars = chars
        self._surroundings.naps.begin_step()
        self._meter.begin(units)
        try:
            observation = run()
        except BaseException as error:
            if type(error) is MemoryError:  # exact type: `isinstance` may run the submission's code
                give_room()
            observation = {"raised": raised(error, self._file_names)}
        has_room()
        _flush_wrapper()
        self._programs.stop_typing()
        observation.update(self._stdout.take())
        observation["units"] = self._meter.take() + self._units_of_cells
        self._units_of_cells = 0
        return observation

    def _import(self, requested: list[list[str]]) -> dict[str, object]:
        """Import the modules in `requested`, bind them, and report the names that steps now know.

        Each entry has the name to bind the module to and the name to import it by; for `*` all
        names that it defines are bound.
        """
        self._names["__name__"] = "__main__"  # as at the prompt, for classes defined in steps
        self._stops.cuts = True
        try:
            modules = [(name, __import__(imported_by)) for name, imported_by in requested]
        finally:
            self._stops.cuts = False
        self._arm_instruments()
        defined: dict[str, object] = {}
        others: dict[str, object] = {}
        for (name, module), (_, imported_by) in zip(modules, requested, strict=True):
            names, prefix = module.__dict__, "" if name == "*" else f"{name}."
            requested_names = [each for each in self._asked.get(imported_by, ()) if each in names]
            defined.update((f"{prefix}{each}", names[each]) for each in requested_names)
            others_shown = _names_in(names)[: MAX_DEFINED_NAMES // len(modules)]
            others.update((f"{prefix}{each}", names[each]) for each in others_shown)
            if name == "*":
                self._names.update(names)
                for each in (
                    *self._hidden,
                    *_replaced_built_ins(names, {*requested_names}, self._modules),
                ):
                    self._names.pop(each, None)
            else:
                self._names[name] = module
        for name in list(others)[: max(0, MAX_DEFINED_NAMES - len(defined))]:
            defined.setdefault(name[:MAX_NAME_CHARS], others[name])
        return {
            **_NO_DEFINITIONS,
            "defined": list(defined),
            "takes": dict(_argument_ranges(defined)),
            "absent": self._surroundings.absent,
            "stops": self._stops.told,
        }

    def _prepare_programs(self, requested: list[list[str]]) -> dict[str, object]:
        """Prepare to run the modules in `requested` as programs; none of their code runs yet."""
        for name, imported_by in requested:
            self._programs.know(name, imported_by, self._modules[imported_by])
        return {**_NO_DEFINITIONS}

    def _arm_instruments(self) -> None:
        """Pass the imported modules to the instruments, if there are any."""
        if self._instruments is not None:
            imported = {name: sys.modules.get(name) for name in self._modules}
            self._instruments.arm({name: m for name, m in imported.items() if m is not None})

    def _evaluate(self, code: CodeType, binds: list[str]) -> dict[str, object]:
        """Run the `code` of a step; return its value and the identities of the names it binds."""
        self._names["__builtins__"] = self._surroundings.builtins  # else `eval` adds the real ones
        value = _eval(code, self._names)
        encoded = encode(value, self._caps)  # first: if it fails, no object must be numbered
        identities = {name: self._identity(self._names.get(name)) for name in binds}
        return {"value": encoded, "id": self._identity(value), "bound": identities}

    def leave(self, next_request: Request) -> Callable[[], LiveSession]:
        """Drop all references; return a function that makes the session for `next_request`."""
        make_session = partial(self._new_session, {**self._load, **next_request})
        self._surroundings.clear()
        self._names.clear()
        if self._instruments is not None:  # breaks the cycle of code and instruments
            vars(self._instruments.counters).clear()
        vars(self).clear()
        return make_session

    def _end_plan(self) -> None:
        """Release the objects of a plan that no name refers to, and restart their numbering."""
        self._identities.clear()
        _flush_wrapper()
        self._stdout.take()  # what their finalizers print belongs to no step

    def _identity(self, value: object) -> int | None:
        """Return the number of this object, which is kept alive so that its id is not reused."""
        if is_atomic(value):
            return None
        number, _ = self._identities.setdefault(id(value), (len(self._identities), value))
        return number


def _replaced_built_ins(
    names: dict[str, Any], wanted: Collection[str], own: Collection[str]
) -> Iterator[str]:
    """Yield the built-ins in `names` that a star import replaced, as one from `os` replaces `open`.

    In steps these names mean the built-ins, unless they are `wanted`. Definitions in the
    submission's `own` modules are not yielded.
    """
    modules = [each for name, each in [*sys.modules.items()] if name not in own]
    namespaces = [each.__dict__ for each in modules if type(each) is ModuleType]
    for name in _BUILTINS.difference(wanted):
        if name in names and any(space.get(name) is names[name] for space in namespaces):
            yield name


def _names_in(namespace: dict[str, Any]) -> list[str]:
    """Return the names in `namespace` that are not Python's own."""
    # A module's dictionary may have keys of any type.
    return [name for name in namespace if type(name) is str and not name.startswith("__")]


def _argument_ranges(known: dict[str, object]) -> Iterator[tuple[str, list[int]]]:
    """Yield the range of positional argument counts of `known` functions, where it is clear.

    The range is 1 to 0 for anything that cannot be called with positional arguments only.
    """
    for name, value in known.items():
        if type(value) is FunctionType:
            code, defaults = value.__code__, value.__defaults__ or ()
            highest = _MAX_ARGUMENTS if code.co_flags & _TAKES_VARARGS else code.co_argcount
            lowest = code.co_argcount - len(defaults)
            needs_keywords = code.co_kwonlyargcount > len(value.__kwdefaults__ or ())
            yield name, [1, 0] if needs_keywords else [max(0, lowest), highest]
        elif not _callable(value):
            yield name, [1, 0]


def give_room() -> None:
    """Free the reserve, to report that a submission has used up all memory."""
    _reserve.clear()


def has_room() -> bool:
    """Allocate the reserve again if it was freed; return whether it is allocated."""
    if not _reserve:
        with suppress(MemoryError):  # the submission still holds its memory
            _reserve.append(_bytes(RESERVE_BYTES))
    return bool(_reserve)


def _flush_wrapper() -> None:
    """Flush standard output if the submission has wrapped it in a `TextIOWrapper`."""
    stream = sys.__dict__.get("stdout")
    if type(stream) is _TextIOWrapper:
        with suppress(BaseException):  # too much output is recorded anyway
            _flush(stream)
