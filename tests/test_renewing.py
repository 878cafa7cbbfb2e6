"""Sessions that follow each other in one process: each finds what it would find in a fresh one."""

from __future__ import annotations

import pytest
from executor_sessions import FILES, QUICK, plan_of

from grader.sandbox.lots import Lot, LotPlan
from grader.sandbox.program import Program
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.vocabulary import STANDARD_MODULES

IMPORTS = """
import abc, atexit, calendar, codecs, collections, copy, csv, decimal, doctest, fractions
import functools, gc, heapq, json, locale, logging, math, numbers, os, random, re, secrets
import signal, string, sys, threading, time, types, typing, uuid, warnings, weakref
"""

PUT_BACK = {
    "a function of a module": ("random.random = lambda: 4", "random.random()"),
    "a function that is imported by name": ("json.dumps = lambda value: 'no'", "json.dumps([1])"),
    "a name more": ("math.tau2 = 1", "hasattr(math, 'tau2')"),
    "a name less": ("del math.pi", "hasattr(math, 'pi')"),
    "a built-in": ("import builtins; builtins.len = lambda x: 7", "len([])"),
    "the name for the last value": ("import builtins; builtins._ = 3", "'_' in dir(__builtins__)"),
    "a method": (
        "fractions.Fraction.__eq__ = lambda a, b: True",
        "fractions.Fraction(1) == 2, hash(fractions.Fraction(1))",
    ),
    "a method more": ("calendar.Calendar.new = 1", "hasattr(calendar.Calendar, 'new')"),
    "a method less": ("del calendar.Calendar.itermonthdays", "len(dir(calendar.Calendar))"),
    "an attribute of an object of a module": (
        "logging.root.setLevel(1); logging.basicConfig()",
        "logging.root.level, len(logging.root.handlers)",
    ),
    "a logger": ("logging.getLogger('a').setLevel(3)", "logging.getLogger('a').level"),
    "a dictionary of a module": ("re._cache.clear(); re._cache[1] = 2", "1 in re._cache"),
    "a list of a module": ("heapq.__all__.append('x')", "heapq.__all__"),
    "chance": ("random.seed(3), random.random()", "random.random()"),
    "half of two numbers": ("random.gauss(0, 1)", "random.gauss(0, 1)"),
    "entropy": (
        "os.urandom(9), uuid.uuid4(), secrets.token_hex()",
        "os.urandom(4), uuid.uuid4().hex",
    ),
    "a generator without a seed": ("random.Random().random()", "random.Random().random()"),
    "how deep it may go": ("sys.setrecursionlimit(600)", "sys.getrecursionlimit()"),
    "how long a number may be": ("sys.set_int_max_str_digits(900)", "sys.get_int_max_str_digits()"),
    "an environment": ("os.environ['A'] = 'b'", "len(os.environ), os.getenv('A')"),
    "a time zone": (
        "os.environ['TZ'] = 'EST5'; time.tzset()",
        "time.tzname, time.localtime(0).tm_hour",
    ),
    "precision": ("decimal.getcontext().prec = 3", "decimal.Decimal(1) / 3"),
    "flags": ("decimal.Decimal(1) / 3", "decimal.getcontext().flags[decimal.Inexact]"),
    "warnings": ("warnings.simplefilter('error')", "warnings.warn('x')"),
    "a warning that was given": (
        "warnings.warn('x'); warnings.simplefilter('once')",
        "len(warnings.filters), warnings.onceregistry",
    ),
    "a locale": ("locale.setlocale(locale.LC_ALL, 'nl_BE')", "locale.getlocale()"),
    "a cache of the program": ("seen.append(1)", "seen"),
    "a counter in a class": ("Thing.count += 1", "Thing.count"),
    "a cached function": ("cached(1)", "cached.cache_info()"),
    "another module": ("sys.modules['mine'] = types.ModuleType('mine')", "'mine' in sys.modules"),
    "a module in the place of another": ("sys.modules['json'] = 3", "type(sys.modules['json'])"),
    "a module less": ("del sys.modules['json']", "'json' in sys.modules"),
    "a path": ("sys.path.append('x'); sys.path_hooks.clear()", "sys.path, len(sys.path_hooks)"),
    "another path": ("sys.path = ['x']", "sys.path"),
    "what finds modules": ("sys.meta_path.clear()", "len(sys.meta_path)"),
    "arguments": ("sys.argv.append('x'); sys.argv = [1]", "sys.argv"),
    "streams": ("sys.stdout = sys.stdin = sys.stderr = None", "sys.stdin.read(), print('x')"),
    "real streams": ("sys.__stdout__ = None", "sys.__stdout__.name, sys.__stdin__.read()"),
    "a hook": ("sys.excepthook = sys.displayhook = print", "sys.excepthook is print"),
    "a file": ("open('akari.txt', 'w').write('x')", "open('akari.txt').read()"),
    "a new file": ("open('new.txt', 'w').write('x')", "os.path.exists('new.txt'), os.listdir()"),
    "a file that stays open": (
        "seen.append(open('new.txt', 'w')); seen[0].write('x')",
        "os.listdir()",
    ),
    "a class of a type": ("typing.List[Thing], typing.Optional[Thing]", "typing.List[Thing]"),
    "an object that says goodbye": ("seen.append(Goodbye())", "len(seen)"),
    "a cycle that says goodbye": ("x = Goodbye(); x.self = x; seen.append(x)", "len(seen)"),
    "a goodbye that changes something": ("seen.append(Vandal())", "random.random(), math.pi"),
    "a generator that is open": ("g = endless(); next(g); seen.append(g)", "len(seen)"),
    "a collector": ("gc.disable(); gc.set_threshold(1)", "gc.isenabled(), gc.get_threshold()"),
    "tracing": ("sys.settrace(lambda *_: None)", "sys.gettrace()"),
    "profiling": ("sys.setprofile(lambda *_: None)", "sys.getprofile()"),
    "a class that is registered": (
        "numbers.Number.register(Thing)",
        "isinstance(Thing(), numbers.Number)",
    ),
    "what is copied": ("copy.deepcopy(Thing()), copy.copy(random.Random(1))", "copy.copy(seen)"),
    "how a class is pickled": (
        "import copyreg; copyreg.pickle(Thing, str)",
        "len(__import__('copyreg').dispatch_table)",
    ),
    "the length of a field": ("csv.field_size_limit(3)", "csv.field_size_limit()"),
    "a dialect": ("csv.register_dialect('x', delimiter=';')", "csv.list_dialects()"),
    "its own tests": ("doctest.testmod(sys.modules['sample'])", "doctest.master"),
    "what a class inherits": (
        "type('Sub', (collections.OrderedDict,), {})()",
        "len(collections.OrderedDict.__subclasses__())",
    ),
    "a subclass": (
        "Thing.__subclasses__(), type('Late', (Thing,), {})",
        "len(Thing.__subclasses__())",
    ),
    "nothing": ("None", "random.random(), time.time() // 1000, os.listdir(), sys.argv"),
}
"""What a program changes, and the sight of it in the session that follows."""
TOLD = {
    "a class that is registered for good": ("numbers.Number.register(str)", "1"),
    "what happens when something goes": ("seen.append(weakref.finalize(Thing(), print, 1))", "1"),
    "what answers to a signal": ("signal.signal(signal.SIGUSR1, signal.SIG_IGN)", "1"),
    "the usual precision": ("decimal.DefaultContext.prec = 5", "1"),
    "the number of a thread": ("threading.Thread()", "1"),
    "much memory": ("len(b'x' * 60_000_000)", "1"),
    "code that somebody keeps": ("sys.addaudithook(lambda *_: None)", "1"),
    "code that a codec keeps": (
        "codecs.register_error('x', lambda e: ('', 1))",
        "1",
    ),
}
"""What cannot be put back."""
SOURCE = (
    IMPORTS
    + """
seen = []
class Thing:
    count = 0
class Goodbye:
    def __del__(self):
        print("goodbye")
class Vandal:
    def __del__(self):
        random.seed(9), random.random()
        math.pi = 3
@functools.cache
def cached(x):
    return x
def endless():
    try:
        while True:
            yield 1
    finally:
        print("closed")
def change():
    exec({change!r}, globals())
    return "done"
def sight():
    return repr(({sight}))
"""
)


def runner(zygote: Zygote, source: str) -> SessionRunner:
    """Return what runs `source`, which may import whatever is preloaded."""
    program = Program.from_sources(
        {"sample": ("sample.py", source)}, FILES, (*STANDARD_MODULES, "signal")
    )
    return SessionRunner(zygote, program, QUICK)


def lot(zygote: Zygote, source: str, *codes: str) -> Lot:
    """Run `codes` on `source` in one executor, each in a session of its own."""
    return runner(zygote, source).run_lot([asked(code) for code in codes])


def asked(*codes: str) -> LotPlan:
    """Return what evaluates `codes` after an import."""
    return LotPlan(plan_of(*codes), ("sample",))


def source_of(change: str, sight: str) -> str:
    """Return a program that makes a `change`, and has something to be seen."""
    return SOURCE.replace("{change!r}", repr(change)).replace("{sight}", sight)


@pytest.mark.parametrize("name", PUT_BACK)
def test_what_a_session_changes_is_not_there_in_the_next(zygote: Zygote, name: str) -> None:
    """What a session sees is what it sees in an executor of its own, whatever ran before it."""
    source = source_of(*PUT_BACK[name])
    alone = [
        runner(zygote, source).run(plan_of(code), modules=("sample",))
        for code in ("change()", "sight()")
    ]
    runs = lot(zygote, source, "change()", "sight()", "change()", "sight()")
    assert Lot(runs=alone * 2) == runs


@pytest.mark.parametrize("name", TOLD)
def test_what_cannot_be_put_back_is_told(zygote: Zygote, name: str) -> None:
    """The session after it has no result when something of the one before would still be there."""
    source = source_of(*TOLD[name])
    runs = lot(zygote, source, "sight()", "change()", "sight()")
    assert (2, True) == (len(runs.runs), runs.is_stale)


def test_a_session_of_modules_that_hide_others_is_as_fresh(zygote: Zygote) -> None:
    """A module of the submission that hides a standard one, or has another name at home, too."""
    modules = {
        "sample": ("Sample.py", "import random, Sample\nseen = []\ndef f(): seen.append(1)"),
        "random": ("random.py", "count = 0\ndef random():\n global count\n count += 1\n"),
    }
    program = Program.from_sources(modules, FILES)
    code = "f(), seen, random.random(), random.count, Sample.seen"
    alone = SessionRunner(zygote, program, QUICK).run(plan_of(code), modules=("sample",))
    runs = SessionRunner(zygote, program, QUICK).run_lot([asked(code)] * 3)
    assert Lot(runs=[alone] * 3) == runs
    assert alone.is_loaded


def test_how_deep_a_session_may_go_does_not_hang_on_those_before(zygote: Zygote) -> None:
    """A recursion without end is as deep in each session, the import included."""
    source = """
depth = 0
def sink():
    global depth
    depth += 1
    sink()
try:
    sink()
except RecursionError:
    at_import = depth
def sight():
    global depth
    depth = 0
    try:
        sink()
    except RecursionError:
        return at_import, depth
"""
    alone = runner(zygote, source).run(plan_of("sight()", "sink()"), modules=("sample",))
    lot = [asked("sight()", "sink()")] * 3
    assert Lot(runs=[alone] * 3) == runner(zygote, source).run_lot(lot)


def test_instruments_and_units_begin_anew(zygote: Zygote) -> None:
    """What is counted inside a session is counted from nothing in each."""
    source = "def f(n): return n and f(n - 1)\n"
    program = Program.from_sources({"sample": ("sample.py", source)}, FILES)
    settings = {"knowing": ["sample.f"], "transform": True}

    def told() -> SessionRunner:
        return SessionRunner(zygote, program, QUICK).instrument("__x")(settings)

    plan = plan_of("__x_call__(lambda: f(3))", "__x_evidence__()")
    alone = told().run(plan, modules=("sample",))
    asked_for = LotPlan(plan, ("sample",), {**settings, "name": "__x"})
    assert Lot(runs=[alone] * 3) == told().run_lot([asked_for] * 3)
    assert alone.observations[0].units > 0
