"""One session of one submission in an executor.

The process is trusted only until the submission is imported: after that the submission shares it
with the code below, and can read and change all of it. So the reports of an executor are only data
about its own session, and the judge decides. Everything used after the import is bound before it,
so that an honest submission that shadows `json` or overwrites `len` breaks only itself.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import repeat
from types import CodeType
from typing import Any, Final, NoReturn, TypeAlias

from grader.executor.channel import Channel, Reply, Request, make_json_encoder
from grader.executor.compiling import Code, compile_module, describe_code
from grader.executor.definitions import (
    BUILTIN_NAMES,
    MAX_DEFINED_NAMES,
    NO_DEFINITIONS,
    argument_ranges,
    public_names,
    replaced_built_ins,
)
from grader.executor.encoding import encode, is_atomic
from grader.executor.imports import ModuleCode
from grader.executor.instruments import Instruments
from grader.executor.metering import PLACEHOLDER, Meter
from grader.executor.raising import describe_exception, exceeded_limit
from grader.executor.rewriting import bind_objects
from grader.executor.running import Programs
from grader.executor.stdout import Stderr, Stdout, flush_wrapper
from grader.executor.stops import Stops
from grader.executor.surroundings import Surroundings, clamp_recursion_limit
from grader.protocol import MAX_NAME_CHARS, RUN, SLEPT, SPENT, TYPE, ValueLimits

Limits: TypeAlias = dict[str, int]

_OUR_FRAMES: Final = 40
_FRAMES_PER_LEVEL: Final = 4
"""Our own code recurses into the value of a step. So a submission cannot set the recursion limit
below `_OUR_FRAMES` plus this number for each level of the value."""

RESERVE_BYTES: Final = 1 << 20
"""The size of the blocks that Python requests from the system for small objects."""
_reserve: Final = [bytes(RESERVE_BYTES)]
"""Freed when memory runs out, so that this can be reported. It is never written to, so it takes no
physical memory."""
# The functions below are bound here, because a submission can replace them where they came from.
_eval: Final = eval
_bytes: Final = bytes
_exit: Final = os._exit
_sleep: Final = time.sleep  # the real function, bound before `pinning` replaces it
_set_recursion_limit: Final = sys.setrecursionlimit
_MAX_DEPTH: Final = 100_000
"""Deeper than any submission can recurse, so that reporting its end does not hit the limit."""
_FOREVER_S: Final = 3600
"""Longer than any time after which the judge kills the process."""
_unmarshal: Final = marshal.loads


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
        """Serve the `load` request; `codes` are its compiled modules, from an earlier session.

        Without `codes`, the modules are compiled here.
        """
        self._channel: Final = channel
        self._surroundings: Final = surroundings
        self._limits: Final = limits
        self._file_names: Final = frozenset(module["file"] for module in load["modules"].values())
        self._requested_names: Final[dict[str, tuple[str, ...]]] = load["asked"]
        overridden = load.get("overridden")
        self._hidden_names: Final = (
            () if overridden is None else BUILTIN_NAMES.difference(overridden)
        )
        """Names that the submission binds but that mean the built-ins in steps."""
        self._stdout: Final = Stdout(self._limits["output_chars"])
        self._caps: Final = ValueLimits.from_limits(limits)
        self._names: dict[str, Any] = {}
        self._identities: Final[dict[int, tuple[int, object]]] = {}
        """The number of each object in replies, and the object itself, by its id."""
        settings = load.get("instruments")
        self._instruments: Final = settings and Instruments(settings, make_json_encoder())
        begin_cell, cut = self._begin_cell, self._end_with_cut
        self._stops: Final = Stops(load["asked"], self._file_names, begin_cell, cut)
        self._units_of_cells = 0
        self._meter: Final = Meter(limits["session_units"], partial(self._end, SPENT))
        codes = codes or self._compile_modules(load)
        self._modules: Final = {
            name: ModuleCode(module["file"], codes[name], self._bind)
            for name, module in load["modules"].items()
        }
        self._load: Final = load
        self._new_session: Final = partial(LiveSession, channel, surroundings, limits, codes=codes)
        self._programs: Final = Programs(surroundings, self._stdout)
        self.more_replies_follow = False
        """Whether more replies follow soon, so that the last observation can be sent with them."""
        self.has_loaded = False
        """Whether all requested imports succeeded."""

    def _compile_modules(self, load: Request) -> dict[str, Code]:
        return {
            name: compile_module(name, module, self._instruments)
            for name, module in load["modules"].items()
        }

    def _bind(self, code: CodeType) -> CodeType:
        """Return `code` with the instruments and the meter in place of their placeholders."""
        if self._instruments is not None:
            code = self._instruments.bind(code)
        return bind_objects(code, {PLACEHOLDER: self._meter})

    def _begin_cell(self) -> None:
        """Apply the limits of a step to the next cell of a notebook, and count the units so far."""
        self._units_of_cells += self._meter.end_step()
        self._meter.begin_step(self._limits["units"])
        self._surroundings.naps.begin_step()

    def _end_with_cut(self, cut: list[object]) -> NoReturn:
        """Report which code to cut from a module, and end the executor."""
        # Otherwise `_end` would look for a cut itself, and report that one instead.
        self._stops.may_cut = False
        self._end({"cut": cut})

    def _end(self, reply: Reply) -> NoReturn:
        """Send `reply`, which reports why the current step was stopped, and end the executor.

        If a running module can be cut, the cut is reported instead. At the recursion limit, even
        reporting can raise `RecursionError`. Then the next counted iteration or call tries again,
        at a lower depth.
        """
        _set_recursion_limit(_MAX_DEPTH)
        self._stops.cut_here(reply.get("spent", ""))
        free_reserve()
        try:
            self._channel.send(reply)
            _exit(0)
        finally:
            # Only reached if the submission closed the channel: the judge will kill this process.
            _sleep(_FOREVER_S)

    def describe_modules(self, *, with_code: bool = True) -> Reply:
        """Return the reply to the load request: what was found in each module with a source.

        The reply includes the compiled code if it was requested, unless `with_code` is false.
        """
        keep = self._load["keep"] and with_code
        return {
            "modules": {
                name: describe_code(self._modules[name].code, source, keep=keep)
                for name, module in self._load["modules"].items()
                if (source := module.get("source")) is not None
            }
        }

    def prepare(self) -> None:
        """Set up the process, so that it looks like a fresh interpreter with the submission.

        Nothing of the submission runs yet.
        """
        load = self._load
        # Both names, because a program might restore a stream from `sys.__stdout__`.
        for name, stream in (
            ("stdout", self._stdout),
            ("stderr", Stderr()),
            ("stdin", self._programs.keyboard),
        ):
            sys.__dict__[name] = sys.__dict__[f"__{name}__"] = stream
        os.environ.update(load.get("environment", {}))
        min_recursion = _OUR_FRAMES + _FRAMES_PER_LEVEL * self._caps.value_depth
        max_recursion = self._limits["recursion"]
        sys.setrecursionlimit = clamp_recursion_limit(
            sys.setrecursionlimit, min_recursion, max_recursion
        )
        self._surroundings.fill(
            self._modules, load["files"], load["imports"], self._names, load.get("now_s")
        )
        sleep_limits_ms = self._limits["sleep_ms"], self._limits["session_sleep_ms"]
        self._surroundings.naps.limit(*sleep_limits_ms, partial(self._end, SLEPT))
        self._names[RUN] = self._programs.run
        self._names[TYPE] = self._programs.set_step_input
        self._surroundings.importer.stops = self._stops
        if self._instruments is not None:
            self._instruments.install(self._names)

    def run(self, request: Request, *, batches: bool = False) -> Iterator[Reply]:
        """Import the requested modules, run the steps in order, and yield an observation of each.

        After a failed import nothing else runs. After a step that exceeded a limit, this waits
        until the judge has sent the limits for the remaining steps, which can then be lower, or
        stops if the judge has closed the channel. `batches` allows the caller to send observations
        together; see `more_replies_follow`.
        """
        plans = [_unmarshal(plan) for plan in request["plans"]]
        steps_left = sum(len(codes) for codes, _ in plans)
        default_limits = self._limits["units"], self._limits["output_chars"]
        step_limits = iter(request.get("within", repeat(default_limits)))
        if "import" in request:
            import_modules = self._prepare_programs if request.get("runs") else self._import
            imported = self._observe(partial(import_modules, request["import"]), *default_limits)
            self.has_loaded = "raised" not in imported
            yield imported
            if not self.has_loaded:
                return
        for index, (codes, names) in enumerate(plans):
            if index:
                self._end_plan()
            self.more_replies_follow = len(plans) > 1 or batches
            for position, (code, bound_names) in enumerate(zip(codes, names, strict=True), start=1):
                observation = self._observe(
                    partial(self._evaluate, code, bound_names), *next(step_limits)
                )
                steps_left -= 1
                awaits_limits = steps_left > 0 and exceeded_limit(observation)
                self.more_replies_follow = (
                    self.more_replies_follow and position < len(codes) and not awaits_limits
                )
                yield observation
                if awaits_limits:
                    reply = self._channel.receive()
                    if reply is None:
                        return
                    step_limits = iter(reply["within"] or repeat(default_limits))

    def run_host(self, host: str, channel: Channel, first: Request) -> None:
        """Let the plug-in `host` serve `channel`, beginning with the message `first`.

        From now on the session's units are not limited.
        """
        self._meter.remove_limits()  # the host limits time with its own clocks
        serve = self._surroundings.hosts[host]
        serve(channel, first, self._surroundings, self._file_names)

    def _observe(
        self, run: Callable[[], dict[str, object]], units: int, output_chars: int
    ) -> dict[str, object]:
        """Call `run` within these limits on units and output.

        Return its result, or a description of the exception that it raised, together with its
        output and units.
        """
        sys.stdout = self._stdout
        self._stdout.max_chars = output_chars
        self._surroundings.naps.begin_step()
        self._meter.begin_step(units)
        try:
            observation = run()
        except BaseException as error:
            if type(error) is MemoryError:  # exact type: `isinstance` can run the submission's code
                free_reserve()
            observation = {"raised": describe_exception(error, self._file_names)}
        restore_reserve()
        flush_wrapper()  # before the output is taken, since buffered text belongs to this step
        self._programs.drop_step_input()
        observation.update(self._stdout.take_step_output())
        observation["units"] = self._meter.end_step() + self._units_of_cells
        self._units_of_cells = 0
        return observation

    def _import(self, requested: list[list[str]]) -> dict[str, object]:
        """Import the modules in `requested`, bind them for steps, and return what they define.

        Each entry has the name to bind the module to, and the name to import it by. The name `*`
        binds all names that the module defines. Exceptions that the import raises are not caught.
        """
        self._names["__name__"] = "__main__"  # as at a prompt, for classes defined in steps
        self._stops.may_cut = True
        try:
            modules = [(name, __import__(import_name)) for name, import_name in requested]
        finally:
            self._stops.may_cut = False
        self._arm_instruments()
        defined: dict[str, object] = {}
        other_names: dict[str, object] = {}
        for (name, module), (_, import_name) in zip(modules, requested, strict=True):
            names, prefix = module.__dict__, "" if name == "*" else f"{name}."
            requested_names = [
                attribute
                for attribute in self._requested_names.get(import_name, ())
                if attribute in names
            ]
            defined.update(
                (f"{prefix}{attribute}", names[attribute]) for attribute in requested_names
            )
            first_names = public_names(names)[: MAX_DEFINED_NAMES // len(modules)]
            other_names.update(
                (f"{prefix}{attribute}", names[attribute]) for attribute in first_names
            )
            if name == "*":
                self._names.update(names)
                for built_in in (
                    *self._hidden_names,
                    *replaced_built_ins(names, {*requested_names}, self._modules),
                ):
                    self._names.pop(built_in, None)
            else:
                self._names[name] = module
        for name in list(other_names)[: max(0, MAX_DEFINED_NAMES - len(defined))]:
            defined.setdefault(name[:MAX_NAME_CHARS], other_names[name])
        return {
            **NO_DEFINITIONS,
            "defined": list(defined),
            "takes": dict(argument_ranges(defined)),
            "absent": self._surroundings.absent_packages,
            "stops": self._stops.records,
        }

    def _prepare_programs(self, requested: list[list[str]]) -> dict[str, object]:
        """Make `run` accept the modules in `requested` as programs; none of their code runs yet.

        Raises the exception that compiling one of them raised.
        """
        for name, import_name in requested:
            self._programs.register(name, import_name, self._modules[import_name])
        return {**NO_DEFINITIONS}

    def _arm_instruments(self) -> None:
        """Pass the imported modules to the instruments, if there are any."""
        if self._instruments is not None:
            imported = {name: sys.modules.get(name) for name in self._modules}
            self._instruments.arm(
                {name: module for name, module in imported.items() if module is not None}
            )

    def _evaluate(self, code: CodeType, bound_names: list[str]) -> dict[str, object]:
        """Run the `code` of a step; return its value, and the identities behind `bound_names`."""
        # Set before each step, because otherwise `eval` adds the real built-ins.
        self._names["__builtins__"] = self._surroundings.builtins
        value = _eval(code, self._names)
        encoded = encode(value, self._caps)  # before numbering objects, because it can fail
        identities = {name: self._identity(self._names.get(name)) for name in bound_names}
        return {"value": encoded, "id": self._identity(value), "bound": identities}

    def release(self, next_request: Request) -> Callable[[], LiveSession]:
        """Drop all references to the submission, including its modules and files.

        Return a function that creates the session for `next_request`. The present session is
        unusable afterwards.
        """
        make_session = partial(self._new_session, {**self._load, **next_request})
        self._surroundings.clear()
        self._names.clear()
        if self._instruments is not None:  # breaks the reference cycle of code and instruments
            vars(self._instruments.counters).clear()
        vars(self).clear()
        return make_session

    def _end_plan(self) -> None:
        """Start to number objects anew, and release those objects that no name refers to."""
        self._identities.clear()
        flush_wrapper()
        self._stdout.take_step_output()  # discarded: output of finalizers belongs to no step

    def _identity(self, value: object) -> int | None:
        """Return the number of the object `value` in replies, or None for an immutable plain value.

        A numbered object is kept alive, so that its id is not reused.
        """
        if is_atomic(value):
            return None
        number, _ = self._identities.setdefault(id(value), (len(self._identities), value))
        return number


def free_reserve() -> None:
    """Free the reserve, which leaves enough memory to report that it has run out."""
    _reserve.clear()


def restore_reserve() -> bool:
    """Allocate the reserve again if it was freed; return whether that worked."""
    if not _reserve:
        with suppress(MemoryError):  # raised if the submission still uses the memory
            _reserve.append(_bytes(RESERVE_BYTES))
    return bool(_reserve)
