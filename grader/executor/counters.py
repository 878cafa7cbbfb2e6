"""Counts the calls of a submission's functions during a probe, and decides which calls are cut.

Terms. A site is *active* while it is on the Python stack, and *re-entered* when it begins while it
is active. A site that is *cut* is not re-entered: the call immediately returns None, or the value
that the first innermost call of the site returned earlier. A unit of *work* is an iteration of a
loop, or a call of any other site.

A `def` is on the stack from beginning to end, so a counter is enough. A generator can be suspended
in between, and a lambda can end with an exception without reporting it. While a generator or a
lambda has not ended, the frames on the stack are checked instead. Frames are identified by id; if
an id was reused, the latest frame counts. Calls that need stack space are made before anything is
counted, so that a `RecursionError` in an instrument leaves the counts consistent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType
from typing import Any, Final, TypeAlias

from grader.executor.foreknowledge import Foreknowledge, deep_copy_or_default
from grader.executor.shifting import Shift
from grader.executor.spreading import Spread
from grader.executor.tracing import CallTree, Trace

Settings: TypeAlias = dict[str, Any]

_MAX_SITES: Final = 300  # the judge refuses evidence with more sites or edges
_MAX_EDGES: Final = 500
_MAX_WRAPPED_CHARS: Final = 60
_FIRST_RECURSION: Final = 2
"""How many calls of a function are active once it has called itself for the first time."""
_LAMBDA: Final = "<lambda>"
_Function: Final = FunctionType
_frame: Final = sys._getframe  # noqa: SLF001 - the stack is what is measured


@dataclass(slots=True)
class _Site:
    """The counts for one function."""

    encloses: bool = False
    """Whether it is a closure, such as the wrapper that a decorator returns."""
    entered: int = 0
    reentered: int = 0
    deepest: int = 0
    active: int = 0
    """How many calls are active; for generators and lambdas, how many have begun but not ended."""


def _variant_key(key: str, frame: FrameType) -> str:
    """Return `key` with the names of the functions, if any, that the closure in `frame` encloses.

    The wrapper of a decorator has one position in the source, but stands for many functions.
    """
    code, names = frame.f_code, frame.f_locals
    enclosed_values = (names.get(name) for name in code.co_freevars)
    codes = [value.__code__ for value in enclosed_values if type(value) is _Function]
    wrapped_names = [inner.co_qualname[:_MAX_WRAPPED_CHARS] for inner in codes if inner is not code]
    return f"{key}[{','.join(wrapped_names)}]" if wrapped_names else key


class Counters:
    """Counts during the call under examination, and decides which calls are cut."""

    def __init__(self, settings: Settings) -> None:
        """Create the instruments that `settings` request.

        A call of a site in `cut` is cut if the site is already active; with `whole`, it is always
        cut. `trace` records the deepest calls, and `tree` records which call made which. `watch`,
        `knowing` and `shift` are the sites for the other instruments. With `always`, counting is on
        from the start, and not only during `call`.
        """
        self._cut: Final = frozenset(settings.get("cut", ()))
        self._cuts_outermost: Final[bool] = settings.get("whole", False)
        watched_sites = settings.get("watch")
        self._spread: Final = None if watched_sites is None else Spread(frozenset(watched_sites))
        known_sites = settings.get("knowing")
        self._foreknowledge: Final = (
            None if known_sites is None else Foreknowledge(frozenset(known_sites))
        )
        shifted_sites = settings.get("shift")
        self._shift: Final = (
            None if shifted_sites is None else Shift(frozenset(shifted_sites), settings["part"])
        )
        self._tree: Final = CallTree(settings["tree"]) if "tree" in settings else None
        self._trace: Final = Trace() if settings.get("trace", False) else self._tree
        self._counting: bool = settings.get("always", False)
        self._sites: Final[dict[str, _Site]] = {}
        self._codes: Final[dict[int, tuple[str, CodeType]]] = {}
        """The site key of each code object, by id. The code object is kept so that the id is not
        reused."""
        self._edges: Final[dict[tuple[str, str], None]] = {}
        self._leaves: Final[dict[str, object]] = {}
        """By site, the return value of the first re-entered call that ended."""
        self._returned: Final[dict[str, tuple[int, object]]] = {}
        """By site of a `def`: how many of its calls were active when one of them last returned, and
        the value that it returned, which a `finally` can still change."""
        self._new_arguments: tuple[object, ...] | None = None
        self._learning = False
        self._cuts = 0
        self._last_cut = ""
        self._stack: Final[list[str]] = []
        """The active `def`s, innermost last."""
        self._depths: Final[dict[int, int]] = {}
        """By id of a generator's or lambda's frame, how many calls of its site were active when it
        began."""
        self._suspendable = 0
        """How many of these frames have begun but not ended."""

    def call(self, thunk: Callable[[], object]) -> object:
        """Call `thunk` with counting and cutting switched on; return its result."""
        for site in self._sites.values():
            site.active = 0  # generators from an earlier call might not have ended
        self._suspendable = 0
        self._depths.clear()
        if self._trace is not None:
            self._trace.clear()
        if self._shift is not None:
            self._shift.begin_call()
        self._counting = True
        try:
            return thunk()
        finally:
            self._counting = False

    def call_and_check_foreknowledge(
        self, thunk: Callable[[], object], read_state: Callable[[], object]
    ) -> object:
        """Do the same as `call`, and record whether the answer was known before any recursion.

        `read_state` returns the state that the call should change.
        """
        if self._foreknowledge is None:
            return self.call(thunk)
        self._foreknowledge.begin_call(read_state)
        answer = self.call(thunk)
        self._foreknowledge.end_call(answer)
        return answer

    def _notify_begin(
        self, key: str, frame: FrameType, arguments: tuple[object, ...], depth: int
    ) -> bool:
        """Report to the foreknowledge and shifting instruments that a function begins in `frame`.

        Return whether the function gets other arguments, which `new_arguments` then returns.
        """
        shift, foreknowledge = self._shift, self._foreknowledge
        if foreknowledge is not None and key in foreknowledge.sites:
            self._counting = False  # copying can run code of the submission, which must not count
            foreknowledge.record_begin(frame, is_inner=depth > 1)
            self._counting = True
        if shift is None or key not in shift.sites or frame.f_code.co_name == _LAMBDA:
            return False
        if depth == 1:
            shift.record_outermost_call(frame.f_code, arguments)
        self._new_arguments = (
            shift.shift_arguments(frame.f_code, arguments) if depth == _FIRST_RECURSION else None
        )
        return self._new_arguments is not None

    def is_cut(self) -> bool:
        """Return whether `enter` or `begin` has just returned True because it cut the call.

        Otherwise, it returned True because the call gets other arguments.
        """
        return self._shift is None

    def new_arguments(self) -> tuple[object, ...] | None:
        """Return the arguments to use instead, after `enter` or `begin` has returned True."""
        return self._new_arguments

    def wrap_callee(self, function: Any) -> Any:
        """Return `function`, possibly wrapped to record the work or the results of its calls."""
        if not self._counting:
            return function
        if self._foreknowledge is not None:
            return self._foreknowledge.wrap_callee(function, _frame(1))
        return function if self._spread is None else self._spread.wrap_callee(function, _frame(1))

    def call_and_learn(self, thunk: Callable[[], object]) -> object:
        """Do the same as `call`, and record the return values of innermost calls.

        Calls that are cut later return these values instead of None.
        """
        self._learning = True
        try:
            return self.call(thunk)
        finally:
            self._learning = False

    def record_return(self, key: str, value: object) -> object:
        """Record that a `def` returns `value`, and return `value`."""
        # The innermost site is used below instead of `key`, which does not name the variant.
        if self._tree is not None and self._counting:
            self._tree.record_value(_frame(1), value)
        if self._learning and self._counting:
            key = self._stack[-1]
            self._returned[key] = self._sites[key].active, value
        return value

    def cut_result(self) -> object:
        """Return the value that the call just cut must return: a copy of a stored one, or None."""
        leaf = self._leaves.get(self._last_cut)
        return deep_copy_or_default(leaf, leaf)

    def _record_cut(self, key: str) -> bool:
        """Count a cut of the site `key`; return True."""
        self._cuts += 1
        self._last_cut = key
        return True

    def _store_leaf(self, key: str, depth: int, value: object) -> None:
        """Store a copy of the `value` that a call of site `key` returned, if it was a re-entry."""
        if depth > 1:
            self._leaves[key] = deep_copy_or_default(value, value)

    def enter(self, key: str, arguments: tuple[object, ...]) -> bool:
        """Record that a call of the instrumented function at site `key` begins.

        Return whether the function must skip its body or replace its arguments; `is_cut` then says
        which of the two.
        """
        if not self._counting:
            return False
        site = self._sites.get(key) or self._site_for(key, _frame(1).f_code)
        if site.encloses:
            key = _variant_key(key, _frame(1))
            site = self._sites.get(key) or self._site_for(key, _frame(1).f_code)
        if (site.active or self._cuts_outermost) and key in self._cut and not self._learning:
            return self._record_cut(key)
        is_shifted = self._notify_begin(key, _frame(1), arguments, site.active + 1)
        if self._suspendable:
            self._record_edge(_frame(1), key)
        elif self._stack:
            self._edges[self._stack[-1], key] = None
        if self._spread is not None:
            self._spread.record_begin(key, _frame(1), arguments)
        if self._trace is not None:
            self._trace.record_begin(_frame(1), key, arguments)
        self._count_entry(site, site.active + 1)
        self._stack.append(key)
        return is_shifted

    def leave(self, key: str) -> None:
        """Record that a `def` ends."""
        if self._counting:
            # Not the `key` in the code, because `enter` might have recorded a variant of it.
            key = self._stack[-1]
            site = self._sites[key]
            depth = site.active
            site.active -= 1
            self._stack.pop()
            if self._trace is not None:
                self._trace.record_end(_frame(1), keeps_inner=False)
            if self._learning and key not in self._leaves:
                saved_depth, value = self._returned.get(key, (0, None))
                self._store_leaf(key, depth, value if saved_depth == depth else None)

    def begin(self, key: str, arguments: tuple[object, ...]) -> bool:
        """Record that a generator or lambda begins.

        Return whether it is cut or gets other arguments.
        """
        if not self._counting:
            return False
        frame = _frame(1)
        site = self._site_for(key, frame.f_code)
        depth = 1 + (self._depth_before(frame) if site.active else 0)
        if (depth > 1 or self._cuts_outermost) and key in self._cut and not self._learning:
            return self._record_cut(key)
        is_shifted = self._notify_begin(key, frame, arguments, depth)
        self._record_edge(frame, key)
        if self._spread is not None:
            self._spread.record_begin(key, frame, arguments)
        if self._trace is not None:
            self._trace.record_begin(frame, key, arguments)
        self._count_entry(site, depth)
        self._depths[id(frame)] = depth
        self._suspendable += 1
        return is_shifted

    def end(self, key: str, value: object = None) -> object:
        """Record that a generator or lambda ends, and return `value`, the result of a lambda."""
        if self._counting:
            depth = self._depths.pop(id(_frame(1)), 0)
            if depth:  # otherwise it began before the call
                self._sites[key].active -= 1
                self._suspendable -= 1
                if self._trace is not None:
                    self._trace.record_end(_frame(1), keeps_inner=True)
                if self._learning and key not in self._leaves:
                    self._store_leaf(key, depth, value)
        return value

    def tick(self) -> bool:
        """Record an iteration of a loop; return True, for use as a condition of a comprehension."""
        if self._counting and self._spread is not None:
            self._spread.record_iteration(_frame(1))
        return True

    def _site_for(self, key: str, code: CodeType) -> _Site:
        """Return the counts of the site `key`, and store that `code` is its code.

        If the site has no counts yet, they are created.
        """
        self._codes[id(code)] = key, code
        return self._sites.setdefault(key, _Site(encloses=bool(code.co_freevars)))

    def _count_entry(self, site: _Site, depth: int) -> None:
        """Count a call of `site`; `depth` is the number of its active calls, this one included.

        This must call nothing, not even a built-in: a `RecursionError` in between would leave the
        counts inconsistent.
        """
        site.entered += 1
        site.active += 1
        if depth > site.deepest:  # noqa: PLR1730 - `max` is a call
            site.deepest = depth
        if depth > 1:
            site.reentered += 1

    def _depth_before(self, frame: FrameType) -> int:
        """Return the recorded depth of the nearest outer frame of this function, or 0."""
        code, caller = frame.f_code, frame.f_back
        while caller is not None and caller.f_code is not code:
            caller = caller.f_back
        return 0 if caller is None else self._depths.get(id(caller), 0)

    def _record_edge(self, frame: FrameType, key: str) -> None:
        """Record which site called the site `key`, which runs in `frame`.

        The caller is the innermost site on the stack outside `frame`. Without one, nothing is
        recorded.
        """
        ancestor = frame.f_back
        while ancestor is not None:
            caller = self._codes.get(id(ancestor.f_code))
            if caller is not None:
                self._edges[caller[0], key] = None
                return
            ancestor = ancestor.f_back

    def evidence(self) -> dict[str, object]:
        """Return all counts, and the evidence of the other instruments, as data for JSON."""
        sites = [
            [key, site.entered, site.reentered, site.deepest]
            for key, site in self._sites.items()
            if site.entered
        ]
        evidence: dict[str, object] = {
            "sites": sites[:_MAX_SITES],
            "edges": [list(edge) for edge in self._edges][:_MAX_EDGES],
            "spread": [],
            "cuts": self._cuts,
        }
        if self._spread is not None:
            evidence |= self._spread.evidence()
        if self._foreknowledge is not None:
            evidence["known"] = self._foreknowledge.known
        if self._shift is not None:
            evidence["shifts"] = self._shift.count
        if self._trace is not None:
            recurring = {key for key, site in self._sites.items() if site.reentered}
            evidence |= self._trace.evidence(recurring)
        return evidence
