"""What a session of a probe measures in the process of the submission: calls, depth, work.

Instruments are functions in the built-ins of the submission, under names that nobody can foresee.
`grader.executor.transforming` has its functions and loops call them; the steps of a probe call the
others. They count and cut only while the call that is looked into lasts. What they tell is the word
of a process that the submission shares, so it is evidence about that submission and no more.

Words. A site is *active* while it is on the Python stack, and *re-entered* when it begins while it
is active. A site that is *cut* is not re-entered: the call gives None at once, or what its first
innermost call gave before. *Work* is a turn of a loop, and a call of any other site.

A `def` is on the stack from its beginning to its end, so counting is enough. A generator may be
suspended meanwhile, and a lambda may end in an exception without a word: of these the frames on the
stack tell, and only when one is about that has not ended. A frame is known by its id: whatever has
that id now has begun last. What takes room on the stack comes before anything is counted, so that a
`RecursionError` here leaves the counts right.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final, TypeAlias

from grader.executor import measuring
from grader.executor.sealing import Seal
from grader.executor.tracing import Trace

Settings: TypeAlias = dict[str, Any]

MAX_SITES: Final = 300
MAX_EDGES: Final = 500
_MAX_SHARES: Final = 5_000
_MAX_WRAPPED_CHARS: Final = 60
_INSTRUMENTS: Final = "enter leave begin end tick give instead call learn"
"""Methods of `_Counters` that programs call."""
_Function: Final = FunctionType
_deepcopy: Final = copy.deepcopy
_frame: Final = sys._getframe  # noqa: SLF001 - the stack is what is measured


@dataclass(slots=True)
class _Site:
    """What is known of one function."""

    encloses: bool = False
    """Whether it reads names of a function around it, as the wrapper of a decorator does."""
    entered: int = 0
    reentered: int = 0
    deepest: int = 0
    active: int = 0
    """Of generators and lambdas, those that have begun and not ended."""


def _copied(value: object) -> object:
    """Return a copy of `value`, or itself if it will not be copied."""
    try:
        return _deepcopy(value)
    except Exception:
        return value


def _variant(key: str, frame: FrameType) -> str:
    """Return the key of a nested function in `frame`, told apart by the functions it encloses.

    The wrapper that a decorator makes is one place in the source, and many functions.
    """
    code, names = frame.f_code, frame.f_locals
    enclosed = (names.get(name) for name in code.co_freevars)
    codes = [each.__code__ for each in enclosed if type(each) is _Function]
    wrapped = [each.co_qualname[:_MAX_WRAPPED_CHARS] for each in codes if each is not code]
    return f"{key}[{','.join(wrapped)}]" if wrapped else key


class _Spread:
    """Counts who does the work: each call of a watched site, or whatever is around all of them."""

    def __init__(self, watched: frozenset[str]) -> None:
        """Watch the sites with these keys."""
        self._watched: Final = watched
        self._codes: Final[set[int]] = set()
        self._shares_of: Final[dict[int, list[int]]] = {}
        """The share of the call that a frame belongs to, by the id of the frame."""
        self.shares: Final[list[list[int]]] = [[0, 0]]
        """For all that is around, and then for each call, how often it called another site, and how
        many turns its loops took; what these do in turn counts for it, too. Calls that are too many
        have a share that is not told."""

    def begins(self, key: str, frame: FrameType) -> None:
        """Hear that the site `key` begins in `frame`."""
        if key not in self._watched:
            self._share(frame.f_back)[0] += 1
            return
        share = [0, 0]
        self._codes.add(id(frame.f_code))
        self._shares_of[id(frame)] = share
        if len(self.shares) <= _MAX_SHARES:
            self.shares.append(share)

    def turns(self, frame: FrameType) -> None:
        """Hear that a loop in `frame` takes a turn."""
        self._share(frame)[1] += 1

    def _share(self, frame: FrameType | None) -> list[int]:
        """Return the share that the work in `frame` belongs to.

        A generator that began before anything was counted has none of its own.
        """
        while frame is not None:
            if id(frame.f_code) in self._codes and id(frame) in self._shares_of:
                return self._shares_of[id(frame)]
            frame = frame.f_back
        return self.shares[0]


class _Counters:
    """Counts what happens while the call lasts, and says which calls are cut."""

    def __init__(self, settings: Settings) -> None:
        """Count by `settings`.

        The sites to `cut` are cut when they are active already, with `whole` always. With `trace`
        the deepest calls are remembered. Counting goes on `always`, or only during `call`.
        """
        self._cut: Final = frozenset(settings.get("cut", ()))
        self._whole: Final[bool] = settings.get("whole", False)
        watch = settings.get("watch")
        self._spread: Final = None if watch is None else _Spread(frozenset(watch))
        self._trace: Final = Trace() if settings.get("trace", False) else None
        self._counting: bool = settings.get("always", False)
        self._sites: Final[dict[str, _Site]] = {}
        self._codes: Final[dict[int, tuple[str, CodeType]]] = {}
        """The site that a code belongs to, by the id of that code, which is kept alive."""
        self._edges: Final[dict[tuple[str, str], None]] = {}
        self._leaves: Final[dict[str, object]] = {}
        """What the first innermost call of a site gave that was active already."""
        self._given: Final[dict[str, tuple[int, object]]] = {}
        """What a `def` is about to give, if no `finally` differs, and how often it is active."""
        self._learning = False
        self._cuts = 0
        self._last_cut = ""
        self._stack: Final[list[str]] = []
        """The `def`s that are active."""
        self._depths: Final[dict[int, int]] = {}
        """How often its site was active when a frame of a generator or lambda began, by its id."""
        self._by_frame = 0
        """How many of these have begun and not ended."""

    def call(self, thunk: Callable[[], object]) -> object:
        """Return or raise what `thunk` does, and count and cut meanwhile."""
        for site in self._sites.values():
            site.active = 0  # generators of an earlier call that have not ended
        self._by_frame = 0
        self._depths.clear()
        if self._trace is not None:
            self._trace.clear()
        self._counting = True
        try:
            return thunk()
        finally:
            self._counting = False

    def learn(self, thunk: Callable[[], object]) -> object:
        """Return or raise what `thunk` does, and remember what innermost calls give meanwhile.

        Sites that are cut from then on give that, and not None.
        """
        self._learning = True
        try:
            return self.call(thunk)
        finally:
            self._learning = False

    def give(self, key: str, value: object) -> object:
        """Hear that a `def` returns `value`, and return it."""
        if self._learning and self._counting:
            key = self._stack[-1]
            self._given[key] = self._sites[key].active, value
        return value

    def instead(self) -> object:
        """Return what the call gives that was just cut."""
        return _copied(self._leaves.get(self._last_cut))

    def _is_cut(self, key: str) -> bool:
        self._cuts += 1
        self._last_cut = key
        return True

    def _learn(self, key: str, depth: int, value: object) -> None:
        """Remember `value` if it is what the first call to end gave that was a re-entry."""
        if depth > 1:
            self._leaves[key] = _copied(value)

    def enter(self, key: str, arguments: tuple[object, ...]) -> bool:
        """Hear that a `def` begins; return whether it is cut."""
        if not self._counting:
            return False
        site = self._sites.get(key) or self._new_site(key, _frame(1).f_code)
        if site.encloses:
            key = _variant(key, _frame(1))
            site = self._sites.get(key) or self._new_site(key, _frame(1).f_code)
        if (site.active or self._whole) and key in self._cut and not self._learning:
            return self._is_cut(key)
        if self._by_frame:
            self._note_edge(_frame(1), key)
        elif self._stack:
            self._edges[self._stack[-1], key] = None
        if self._spread is not None:
            self._spread.begins(key, _frame(1))
        if self._trace is not None:
            self._trace.begins(_frame(1), key, arguments)
        self._note(site, site.active + 1)
        self._stack.append(key)
        return False

    def leave(self, key: str) -> None:
        """Hear that a `def` ends."""
        if self._counting:
            key = self._stack[-1]
            site = self._sites[key]
            depth = site.active
            site.active -= 1
            self._stack.pop()
            if self._trace is not None:
                self._trace.ends(_frame(1), alone=False)
            if self._learning and key not in self._leaves:
                at, value = self._given.get(key, (0, None))
                self._learn(key, depth, value if at == depth else None)

    def begin(self, key: str, arguments: tuple[object, ...]) -> bool:
        """Hear that a generator or lambda begins; return whether it is cut."""
        if not self._counting:
            return False
        frame = _frame(1)
        site = self._new_site(key, frame.f_code)
        depth = 1 + (self._depth_above(frame) if site.active else 0)
        if (depth > 1 or self._whole) and key in self._cut and not self._learning:
            return self._is_cut(key)
        self._note_edge(frame, key)
        if self._spread is not None:
            self._spread.begins(key, frame)
        if self._trace is not None:
            self._trace.begins(frame, key, arguments)
        self._note(site, depth)
        self._depths[id(frame)] = depth
        self._by_frame += 1
        return False

    def end(self, key: str, value: object = None) -> object:
        """Hear that a generator or lambda ends; return the `value` that a lambda gives."""
        if self._counting:
            depth = self._depths.pop(id(_frame(1)), 0)
            if depth:  # else it began before the call
                self._sites[key].active -= 1
                self._by_frame -= 1
                if self._trace is not None:
                    self._trace.ends(_frame(1), alone=True)
                if self._learning and key not in self._leaves:
                    self._learn(key, depth, value)
        return value

    def tick(self) -> bool:
        """Hear of a turn of a loop; return True."""
        if self._counting and self._spread is not None:
            self._spread.turns(_frame(1))
        return True

    def _new_site(self, key: str, code: CodeType) -> _Site:
        self._codes[id(code)] = key, code
        return self._sites.setdefault(key, _Site(encloses=bool(code.co_freevars)))

    def _note(self, site: _Site, depth: int) -> None:
        """Count a beginning after which the site is active `depth` times.

        Even a call of a built-in function may find no room, so there is none once a count changes.
        """
        site.entered += 1
        site.active += 1
        if depth > site.deepest:  # noqa: PLR1730 - `max` is a call
            site.deepest = depth
        if depth > 1:
            site.reentered += 1

    def _depth_above(self, frame: FrameType) -> int:
        """Return how often the site of `frame` was active when its last activation began."""
        code, above = frame.f_code, frame.f_back
        while above is not None and above.f_code is not code:
            above = above.f_back
        return 0 if above is None else self._depths.get(id(above), 0)

    def _note_edge(self, frame: FrameType, key: str) -> None:
        """Remember which active site the function in `frame` was called from."""
        above = frame.f_back
        while above is not None:
            caller = self._codes.get(id(above.f_code))
            if caller is not None:
                self._edges[caller[0], key] = None
                return
            above = above.f_back

    def evidence(self) -> dict[str, object]:
        """Return all that was counted, as JSON."""
        sites = [
            [key, site.entered, site.reentered, site.deepest]
            for key, site in self._sites.items()
            if site.entered
        ]
        evidence: dict[str, object] = {
            "sites": sites[:MAX_SITES],
            "edges": [list(edge) for edge in self._edges][:MAX_EDGES],
            "spread": [] if self._spread is None else self._spread.shares,
            "cuts": self._cuts,
        }
        if self._trace is not None:
            evidence["calls"] = self._trace.calls()
            evidence["total"] = self._trace.total
            evidence["depth"] = self._trace.depth
        return evidence


class Instruments:
    """All instruments of one session."""

    def __init__(self, settings: Settings, dumps: Callable[[object], str]) -> None:
        """Set them by `settings`; `dumps` is an encoder to JSON that nobody can reach."""
        self._name: Final[str] = settings["name"]
        self.rewrites: Final[str | None] = self._name if settings["transform"] else None
        """What the instruments are named after in code that is rewritten, if it is to be."""
        self._recursion: Final[int | None] = settings.get("recursion")
        self._set_limit: Callable[[int], None] = sys.setrecursionlimit
        self._counters: Final = _Counters(settings)
        seal = settings.get("seal")
        self._seal: Final = None if seal is None else Seal(seal)
        self._dumps: Final = dumps

    def install(self, namespace: dict[str, Any]) -> None:
        """Put the instruments into `namespace`, and set the recursion limit that is asked for."""
        counters = self._counters
        functions: dict[str, Callable[..., Any]] = {
            **{name: getattr(counters, name) for name in _INSTRUMENTS.split()},
            "evidence": self._evidence,
            **measuring.FUNCTIONS,
        }
        namespace.update({f"{self._name}_{key}__": each for key, each in functions.items()})
        self._set_limit = sys.setrecursionlimit  # which keeps to the limits of the session by now
        self._set_recursion()

    def arm(self, modules: Mapping[str, ModuleType]) -> None:
        """Start what has to see the `modules` of the submission once they are imported."""
        self._set_recursion()  # as they may have set it, too
        if self._seal is not None:
            self._seal.arm(modules)

    def _set_recursion(self) -> None:
        if self._recursion is not None:
            self._set_limit(self._recursion)

    def _evidence(self) -> str:
        """Return what the instruments tell, as JSON text."""
        evidence = self._counters.evidence()
        if self._seal is not None:
            evidence["seal"] = self._seal.evidence()
        return self._dumps(evidence)
