"""Which modules a submission gets, what it reads about the others, and who is not asked."""

from __future__ import annotations

import builtins
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest
from builders import HEAD, graded, suite

from grader.executor.imports import ImportRule
from grader.executor.stand_ins import ModuleNotAllowed, StandIn
from grader.intake.submissions import HandIn, build_submission
from grader.judging.judge import grade
from grader.judging.record import CaseResult
from grader.sandbox.observation import Observation, Raised, Returned
from grader.sandbox.planning import Item, Role
from grader.sandbox.program import Program
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.suite.vocabulary import KNOWN_PACKAGES, PRELOADED, STANDARD_MODULES, expand_imports
from grader.values.tree import Atom
from grader.verdict import Status, Verdict

CASES: Final = """
imports: [{imports}]
groups: [{{id: g, points: 1}}]
sessions:
- id: s
  steps:
  - {{do: f(), returns: "True", group: g}}
"""

# The rule by itself


@pytest.fixture
def namespace(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Built-ins under a rule that allows `math`, `importlib`, and three modules of one's own."""
    namespace = ModuleType("builtins")
    vars(namespace).update(vars(builtins))
    rule = ImportRule(namespace, ["numpy", "PIL", "matplotlib", "pytest"])
    own = {"board", "pkg", "pkg.board"}
    for name in own:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    vars(sys.modules["pkg"]).update({"__path__": [], "board": sys.modules["pkg.board"]})
    rule.allow(own, {"math", "importlib"}, SUITES)
    vars(namespace)["__import__"] = rule.import_
    monkeypatch.setattr(importlib, "import_module", rule.import_module)
    return namespace


SUITES: Final[dict[str, Any]] = {}
"""Stands for the globals of the code of a suite."""


def run(namespace: ModuleType, code: str) -> dict[str, Any]:
    """Return what `code` of a submission leaves behind."""
    names: dict[str, Any] = {"__builtins__": namespace, "__name__": "sample", "__package__": ""}
    exec(compile(code, "sample.py", "exec", dont_inherit=True), names)
    return names


@pytest.mark.parametrize(
    "code",
    [
        "import math; assert math.pi > 3",
        "from math import *; assert pi > 3",
        "from __future__ import annotations",
        "import __main__",
        "import board, pkg.board; assert pkg.board.__name__ == 'pkg.board'",
        "from importlib import import_module; assert import_module('math').pi > 3",
        "from importlib import import_module; import_module('.board', 'pkg').__name__",
        "assert __import__('math').pi > 3",
        "assert __import__(name='pkg.board', fromlist=['x']).__name__ == 'pkg.board'",
    ],
)
def test_what_is_allowed_is_given(namespace: ModuleType, code: str) -> None:
    """Allowed modules and those of the submission itself are the real ones, however asked for."""
    run(namespace, code)


@pytest.mark.parametrize(
    "code",
    [
        "import re",
        "import re as regular",
        "import os.path",
        "import os.path as path",
        "import xml.etree.ElementTree as ET",
        "from xml.etree import ElementTree",
        "from re import match, sub as replace",
        "from os.path import join",
        "from re import *",
        "import re, os, sys",
        "import re; copy = re; names = [re]; table = {re: 1}",
        "import re\nif re: re = None",
        "try: from re import match\nexcept ImportError: match = None",
        "from importlib import import_module; import_module('re'); import_module('os.path')",
        "__import__('re'); __import__('os.path'); __import__('os.path', fromlist=['join'])",
        "exec('import re')",
    ],
)
def test_what_is_not_allowed_may_be_imported(namespace: ModuleType, code: str) -> None:
    """Editors add imports unasked: one that is not used costs nothing, whatever its form."""
    names = run(namespace, code)
    assert not any(value is re for value in names.values())


@pytest.mark.parametrize(
    ("code", "module"),
    [
        ("import re; re.match('a', 'a')", "re"),
        ("import re as r; r.match", "re"),
        ("from re import match; match('a', 'a')", "re"),
        ("from re import match as m; m.__call__('a', 'a')", "re"),
        ("import os.path; os.path.join('a')", "os"),
        ("import os.path as path; path.join", "os"),
        ("from os.path import join; join('a')", "os"),
        ("from os import path; path.join", "os"),
        ("import xml.etree.ElementTree as ET; ET.parse", "xml"),
        ("from importlib import import_module; import_module('re').match", "re"),
        ("from importlib import import_module; import_module('os.path').join", "os"),
        ("__import__('re').match", "re"),
        ("__import__('os.path', fromlist=['join']).join('a')", "os"),
        ("exec('import re; re.match')", "re"),
        ("from cmath import pi; 2 * pi", "cmath"),
        ("from cmath import pi; pi / 2", "cmath"),
        ("from cmath import pi; -pi", "cmath"),
        ("from cmath import inf; 3 < inf", "cmath"),
        ("from cmath import pi; pi == 3", "cmath"),
        ("from cmath import pi; 3 != pi", "cmath"),
        ("from cmath import pi; round(pi)", "cmath"),
        ("from cmath import pi; int(pi)", "cmath"),
        ("from cmath import pi; range(pi)", "cmath"),
        ("from cmath import pi; str(pi)", "cmath"),
        ("from cmath import pi; f'{pi:.2f}'", "cmath"),
        ("from string import digits; '1' in digits", "string"),
        ("from string import digits; digits[0]", "string"),
        ("from string import digits; len(digits)", "string"),
        ("from string import digits; list(digits)", "string"),
        ("from string import digits; digits + 'a'", "string"),
        ("from numbers import Number; isinstance(1, Number)", "numbers"),
        ("from numbers import Number; issubclass(int, Number)", "numbers"),
        ("from enum import Enum\nclass Colour(Enum): RED = 1", "enum"),
        ("from typing import List\ndef f(x: List[int]): pass", "typing"),
        ("from functools import cache\n@cache\ndef f(): pass", "functools"),
        ("from contextlib import suppress\nwith suppress: pass", "contextlib"),
    ],
)
def test_what_is_not_allowed_cannot_be_used(namespace: ModuleType, code: str, module: str) -> None:
    """Whoever uses a module that is not allowed, or a name in it, reads which one that is."""
    with pytest.raises(ModuleNotAllowed) as caught:
        run(namespace, code)
    assert f"module {module!r} is not allowed in this exercise" == str(caught.value)


@pytest.mark.parametrize(
    "code",
    [
        "import numpy",
        "import numpy as np",
        "import numpy.linalg, PIL.Image as Image",
        "from numpy import array",
        "from numpy.linalg import norm as length",
        "from numpy import *",
        "from importlib import import_module; import_module('numpy')",
        "__import__('numpy')",
        "import numpy\nif False: numpy.array",
        "import numpy\ndef f(): return numpy.pi",
        "from numpy import *\ndef f(): return array([1])",
        "try: import numpy\nexcept ValueError: numpy = None",
        "try: import numpy\nfinally: pass",
    ],
)
def test_packages_that_are_not_there_may_be_imported(namespace: ModuleType, code: str) -> None:
    """An import of a package that is not used costs nothing, whatever its form."""
    names = run(namespace, code)
    assert all(type(value) is StandIn for name, value in names.items() if name in {"numpy", "np"})


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np; np.array([1])",
        "import matplotlib.pyplot as plt; plt.plot([1])",
        "from numpy import array; array([1])",
        "from numpy import *; array([1])",
        "from numpy import *\ndef f(): return array([1])\nf()",
        "from numpy import *\nclass C:\n    def f(self): return [array for _ in '1'][0]()\nC().f()",
        "from numpy.linalg import *; norm([1])",
        "from pytest import raises\nwith raises(ValueError): pass",
        "import pytest\n@pytest.fixture\ndef f(): pass",
    ],
)
def test_packages_that_are_not_there_cannot_be_used(namespace: ModuleType, code: str) -> None:
    """Where a package is used, and no earlier, it is said that it is not there."""
    with pytest.raises(ModuleNotAllowed, match="is not allowed in this exercise"):
        run(namespace, code)


def test_a_star_hides_nothing(namespace: ModuleType) -> None:
    """What a star of a missing package may give is what nobody else does."""
    code = "from board import *; from numpy import *\ndef f(): return [size, total, len, g(), late]"
    vars(sys.modules["board"])["size"] = 5
    names = run(namespace, f"total = 6\n{code}\ndef g(): return 7\nlate = 8\nvalues = f()")
    assert [5, 6, len, 7, 8] == names["values"]


@pytest.mark.parametrize(
    "asked",
    ["try: memo\nexcept NameError: memo = 5", "if 'memo' not in globals(): memo = 5"],
)
def test_who_asks_for_a_name_is_told_the_truth(namespace: ModuleType, asked: str) -> None:
    """A star of a missing package gives no name to a program that finds out which ones it has."""
    assert 5 == run(namespace, f"from numpy import *\n{asked}")["memo"]


TRIED: Final = [
    "try: import numpy\nexcept ImportError: numpy = None",
    "try:\n    import numpy\nexcept ModuleNotFoundError:\n    numpy = None",
    "try: from numpy import array\nexcept (ValueError, ImportError): numpy = None",
    "try: import numpy\nexcept: numpy = None",
    "try: import numpy\nexcept Exception: numpy = None",
    "import builtins\ntry: import numpy\nexcept builtins.ImportError: numpy = None",
    "try:\n    try: import numpy\n    except ValueError: pass\nexcept ImportError: numpy = None",
    "def load(): import numpy\ntry: load()\nexcept ImportError: numpy = None",
    "from contextlib import suppress\nnumpy = None\nwith suppress(ImportError): import numpy",
    "try: __import__('numpy')\nexcept ImportError: numpy = None",
]


@pytest.mark.parametrize("code", TRIED)
def test_who_tries_to_import_a_package_is_told_the_truth(zygote: Zygote, code: str) -> None:
    """Who would catch that a package is missing gets to catch it, as at home without it."""
    assert gave(zygote, f"{code}\ndef f(): return numpy is None") is None


def test_who_tries_with_code_that_was_compiled_before(zygote: Zygote) -> None:
    """The lines on which an import is tried go with the code to later executors."""
    source = f"{TRIED[0]}\ndef f(): return numpy is None"
    program = Program.from_sources({"sample": ("sample.py", source)}, {}, STANDARD_MODULES)
    program.is_reused = True
    plan = (Item(role=Role.STEP, step_index=0, code="f()", is_expression=True, binds=()),)
    runner = SessionRunner(zygote, program, Limits())
    runs = [runner.run(plan, modules=("sample",)) for _ in range(2)]
    assert program.compiled
    assert [Returned(value=Atom(value=True), identity=None)] * 2 == [
        run.observations[0].outcome for run in runs
    ]


def test_packages_that_are_not_there_get_a_remark(zygote: Zygote) -> None:
    """Who imports a package without using it has all points, and reads that it is not there."""
    source = "import numpy as np, pandas\nfrom pytest import *\ndef f(): return True"
    record = graded(zygote, CASES.format(imports="standard"), source)
    assert [Verdict.PASSED] == [result.verdict for result in record.cases]
    (remark,) = record.remarks
    assert ("remark.absent", (("modules", "numpy, pandas, pytest"),)) == (
        remark.key,
        remark.parameters,
    )


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import boardd", "No module named 'boardd'; did you mean 'board'?"),
        ("import Board", "No module named 'Board'; did you mean 'board'?"),
        ("from boards import Board", "No module named 'boards'; did you mean 'board'?"),
        ("import maths", "No module named 'maths'; did you mean 'math'?"),
        ("import pkg.boardd", "No module named 'pkg.boardd'; did you mean 'pkg.board'?"),
        ("__import__('boardd')", "No module named 'boardd'; did you mean 'board'?"),
        ("import helpers", "No module named 'helpers'; was helpers.py handed in?"),
        ("import helpers.grid", "No module named 'helpers'; was helpers.py handed in?"),
        ("import pkg.grid", "No module named 'pkg.grid'; was pkg/grid.py handed in?"),
        ("import math.pi", "No module named 'math.pi'; 'math' is not a package"),
        ("import importlib.nothing", "No module named 'importlib.nothing'"),
        ("raise ModuleNotFoundError('mine')", "mine"),
    ],
)
def test_what_is_not_there_at_all(namespace: ModuleType, code: str, message: str) -> None:
    """Of a slip of the pen, or a file left at home, it is not said that it is not allowed."""
    with pytest.raises(ModuleNotFoundError) as caught:
        run(namespace, code)
    assert (ModuleNotFoundError, message) == (caught.type, str(caught.value))


@pytest.mark.parametrize("name", [None, 5, ""])
def test_odd_names_get_the_answer_of_python(namespace: ModuleType, name: object) -> None:
    """What is no name of a module is left to the real `__import__` to complain about."""
    with pytest.raises((TypeError, ValueError)):
        vars(namespace)["__import__"](name)


def test_relative_imports_are_left_to_python(namespace: ModuleType) -> None:
    """Where it is dots only there is nothing to look for."""
    for code in ("from . import helper", "from .. import board"):
        with pytest.raises(ImportError, match="no known parent package"):
            run(namespace, code)


def test_a_module_of_a_package_has_its_neighbours(namespace: ModuleType) -> None:
    """At home the file lies in a package, and here its neighbours are modules."""
    vars(sys.modules["board"])["size"] = 5
    assert 5 == run(namespace, "from .board import size")["size"]
    with pytest.raises(ModuleNotFoundError, match="No module named 'boards'; did you mean 'board'"):
        run(namespace, "from .boards import size")


@pytest.mark.parametrize("folder", ["sample", "spel"])
@pytest.mark.parametrize("origin", ["hulp", ".hulp", "{}.hulp", "{}.deep.more"])
def test_a_package_that_was_handed_in_is_graded(zygote: Zygote, folder: str, origin: str) -> None:
    """Its modules find each other as they are imported, also where the folder has their name."""
    files = {
        f"{folder}/sample.py": f"from {origin.format(folder)} import f\n".encode(),
        f"{folder}/__init__.py": b"",
        f"{folder}/hulp.py": b"def f(): return True\n",
        f"{folder}/deep/more.py": b"from ..hulp import f\n",
    }
    submission = build_submission(HandIn(student="s", files=files), ("sample",), ())
    record = grade(suite(CASES.format(imports="standard")), submission, zygote)
    assert [Verdict.PASSED] == [result.verdict for result in record.cases]


F: Final = b"def f(): return True\n"


@pytest.mark.parametrize(
    "files",
    [
        {"sample/__init__.py": b"from .a import f\n", "sample/a.py": F},
        {"sample/__init__.py": b"from sample.a import *\n", "sample/a.py": F},
        {"src/sample/__init__.py": b"from a import f\n", "src/sample/a.py": F},
        {"__init__.py": b"from .a import f\n", "a.py": F},
        {"__init__.py": b"from . import a\nf = a.f\ng = 1\n", "a.py": F},
        {
            "spel/__init__.py": b"from spel.a import f\n",
            "spel/a.py": b"from .b.c import f",
            "spel/b/c.py": F,
        },
        {"sample.py": b"from Hulp import f\n", "hulp.py": F},
        {"sample.py": b"import Hulp, hulp\nif Hulp is hulp: f = hulp.f\n", "HULP.py": F},
        {
            "sample-2.py": b"from hulp import f\n",
            "hulp-1.py": F,
            "test.py": b"from sample import f",
        },
        {"sample.py": b"from hulp import f\n", "Kopie van hulp (1).py": F},
        {"a/sample.py": b"from hulp import f\n", "hulp.py": b"from b.c import f\n", "b/c.py": F},
        {"a/b/sample.py": b"from ..hulp import f\n", "a/hulp.py": F, "hulp.txt": b""},
        {"a/sample.py": b"from a.hulp import f\n", "a/hulp.py": b"import a.sample\n" + F},
        {"sample.py": b"from hulp import f\n", "hulp.py": b"# In[1]:\n%cd x\n" + F},
    ],
)
def test_modules_find_each_other_whatever_they_are_called(
    zygote: Zygote, files: dict[str, bytes]
) -> None:
    """A folder can be the module, and a helper has the name under which it is imported."""
    submission = build_submission(HandIn(student="s", files=files), ("sample",), ("f",))
    record = grade(
        suite(CASES.format(imports="standard"), HEAD.replace("[]", "[f]")), submission, zygote
    )
    assert [Verdict.PASSED] == [result.verdict for result in record.cases]


def test_a_module_in_other_letters_hides_nothing_of_the_library(zygote: Zygote) -> None:
    """And what nobody handed in is not there."""
    for code in (b"import Queue\nimport queue\nf = queue.f\n", b"from hulp import f\n"):
        files = {"sample.py": code, "Queue.py": F, "hulpje.py": F}
        submission = build_submission(HandIn(student="s", files=files), ("sample",), ())
        record = grade(suite(CASES.format(imports="standard")), submission, zygote)
        assert Status.UNGRADABLE is record.status


def test_code_of_the_suite_is_not_asked(namespace: ModuleType) -> None:
    """The rule is for what the submission imports, not for the lines of a session."""
    SUITES["__builtins__"] = namespace
    exec("import re, importlib; module = importlib.import_module('re')", SUITES)
    assert re is SUITES["re"] is SUITES["module"]


@pytest.mark.usefixtures("namespace")
def test_others_are_not_asked() -> None:
    """The standard library, like this test, has other built-ins and imports what it likes."""
    assert re is importlib.import_module("re")


def test_without_a_submission_nothing_is_allowed() -> None:
    """Between two sessions the rule knows no module."""
    rule = ImportRule(ModuleType("builtins"), [])
    rule.allow({"board"}, {"math"}, {})
    rule.clear()
    assert isinstance(rule.import_("math"), StandIn)


@pytest.mark.parametrize(
    ("words", "modules"),
    [
        (["standard"], STANDARD_MODULES),
        (["math", "random"], ("math", "random")),
        ([], ()),
        (["math", "standard"], ("math", *(name for name in STANDARD_MODULES if name != "math"))),
        (["standard", "numpy"], (*STANDARD_MODULES, "numpy")),
    ],
)
def test_the_word_for_all_that_is_usual(words: list[str], modules: tuple[str, ...]) -> None:
    """`standard` stands for the default, alone or beside others; nothing comes twice."""
    assert modules == expand_imports(words)


def test_the_lists_of_modules() -> None:
    """All that can be given is in the standard library and loaded; packages are from elsewhere."""
    assert sorted(set(STANDARD_MODULES)) == sorted(STANDARD_MODULES)
    assert set(STANDARD_MODULES) <= sys.stdlib_module_names & set(PRELOADED)
    assert not sys.stdlib_module_names & set(KNOWN_PACKAGES)


def test_the_page_on_suites_lists_them(root: Path) -> None:
    """The reference page names each module that can be given, and no other."""
    page = (root / "docs/reference/suite.md").read_text(encoding="utf-8")
    listed = page.split("<!-- modules -->")[1].split("<!-- /modules -->")[0]
    assert list(STANDARD_MODULES) == re.findall(r"`(\w+)`", listed)


# In an executor


def case(zygote: Zygote, source: str, imports: str = "standard", **modules: str) -> CaseResult:
    """Return the only case of a submission of which `f()` must give True."""
    (result,) = graded(zygote, CASES.format(imports=imports), source, **modules).cases
    return result


def gave(zygote: Zygote, source: str, imports: str = "standard", **modules: str) -> str | None:
    """Return what `f()` of a submission gave, None when that was True."""
    result = case(zygote, source, imports, **modules)
    return None if result.verdict is Verdict.PASSED else f"{result.verdict} {result.got}"


def test_a_suite_allows_what_it_names(zygote: Zygote) -> None:
    """What the suite names can be used; what it does not name is told as not allowed."""
    source = "import math, re\ndef f(): return math.pi > 3"
    assert gave(zygote, source, "math, random") is None
    refused = case(zygote, source, "re")
    assert Verdict.FORBIDDEN is refused.verdict
    assert "ModuleNotAllowed: module 'math' is not allowed in this exercise" == refused.got
    (said,) = refused.explanation
    assert "error.module" == said.key
    assert "math" == dict(said.parameters)["module"]


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("import re\nlast = re.compile('a')", "loading.not_allowed"),
        ("import numpy as np\nzeros = np.zeros(3)", "loading.not_allowed"),
        ("from boardd import f", "loading.error"),
    ],
)
def test_a_file_that_cannot_be_loaded_for_want_of_a_module(
    zygote: Zygote, source: str, key: str
) -> None:
    """A module that the whole file needs is named in the reason why nothing can be run."""
    record = graded(zygote, CASES.format(imports="math"), source, board="def f(): return True")
    assert Status.UNGRADABLE is record.status
    (reason,) = record.remarks
    assert key == reason.key
    told = str(dict(reason.parameters)["message"])
    assert told.startswith(("module 're' is not allowed", "module 'numpy' is", "No module named"))


@pytest.mark.parametrize(
    ("imports", "source"),
    [
        ("datetime", "datetime.datetime.strptime('2024-02-01', '%Y-%m-%d').month == 2"),
        ("time", "time.strptime('2024', '%Y').tm_year == 2024"),
        ("json", "json.loads('[1.5]') == [1.5]"),
        ("pickle", "pickle.loads(pickle.dumps({1, 2})) == {1, 2}"),
        ("textwrap", "textwrap.wrap('a b', 1) == ['a', 'b']"),
        ("string", "string.Template('$x').substitute(x=1) == '1'"),
        ("fractions", "fractions.Fraction('1/3').denominator == 3"),
        ("calendar", "'2024' in calendar.month(2024, 2)"),
        ("pprint", "pprint.pformat({1: [2]}) == '{1: [2]}'"),
        ("uuid", "len(str(uuid.uuid4())) == 36"),
        ("doctest", "doctest.run_docstring_examples(f, {}) is None"),
        ("argparse", "argparse.ArgumentParser().parse_args([]) is not None"),
        ("logging", "logging.basicConfig() is None"),
        ("statistics", "statistics.stdev([1, 1]) == 0"),
        ("collections", "collections.namedtuple('P', 'x y')(1, 2).x == 1"),
        ("inspect", "inspect.signature(lambda x: x).parameters['x'].name == 'x'"),
        ("unittest", "unittest.TestCase().assertEqual(1, 1) is None"),
        ("copy", "copy.deepcopy([[1]]) == [[1]]"),
        ("timeit", "timeit.timeit('re.match', 'import re', number=1) >= 0"),
        ("", "'\\u00e9'.encode('cp1252') == b'\\xe9'"),
    ],
)
def test_the_standard_library_goes_on_importing(zygote: Zygote, imports: str, source: str) -> None:
    """An allowed module works as ever, also where it needs one that is not allowed."""
    line = f"import {imports}\n" if imports else ""
    assert gave(zygote, f"{line}def f(): return {source}", imports) is None


def test_all_of_the_standard_list_is_given(zygote: Zygote) -> None:
    """Each module of the list is there by default, as itself."""
    source = f"""
import sys
from importlib import import_module
def f():
    names = {STANDARD_MODULES!r}
    return [name for name in names if type(import_module(name)) is not type(sys)] == []
"""
    assert gave(zygote, source) is None


def test_none_of_the_standard_library_need_be_given(zygote: Zygote) -> None:
    """With an empty list every import is idle, and none of them does harm."""
    names = sorted(name for name in sys.stdlib_module_names if name not in {"antigravity", "this"})
    source = "\n".join(f"import {name}" for name in names) + "\ndef f(): return True"
    assert gave(zygote, source, "") is None


@pytest.mark.parametrize("name", ["random", "board", "numpy"])
def test_own_modules_are_always_allowed(zygote: Zygote, name: str) -> None:
    """A module that was handed in is used, whatever its name and whatever the suite allows."""
    source = f"import {name}\ndef f(): return {name}.mine"
    assert gave(zygote, source, "", **{name: "mine = True"}) is None


def test_steps_may_import_what_there_is(zygote: Zygote) -> None:
    """The lines of a session are the suite's own."""
    body = """
    imports: []
    groups: [{id: g, points: 1}]
    sessions:
    - id: s
      steps:
      - {do: import re}
      - {do: "bool(re.match('a', f()))", returns: "True", group: g}
    """
    (result,) = graded(zygote, body, "def f(): return 'a'").cases
    assert Verdict.PASSED is result.verdict


def test_suites_do_not_share_their_modules(zygote: Zygote) -> None:
    """What one suite allows, the next one in the same zygote need not."""
    source = "import math\ndef f(): return math.pi > 3"
    verdicts = [case(zygote, source, imports).verdict for imports in ("math", "re", "math")]
    assert [Verdict.PASSED, Verdict.FORBIDDEN, Verdict.PASSED] == verdicts


def observed(zygote: Zygote, source: str, imports: tuple[str, ...]) -> Observation:
    """Return what `f()` of a submission that may import `imports` did."""
    program = Program.from_sources({"sample": ("sample.py", source)}, {}, imports)
    plan = (Item(role=Role.STEP, step_index=0, code="f()", is_expression=True, binds=()),)
    runner = SessionRunner(zygote, program, Limits())
    run = runner.run(plan, modules=("sample",))
    return run.observations[0]


@pytest.fixture(scope="module")
def other_zygote() -> Iterator[Zygote]:
    """A zygote that was told to load one module more."""
    with Zygote(preload=(*PRELOADED, "plistlib")) as running:
        yield running


def test_a_zygote_loads_what_the_judge_hands_it(zygote: Zygote, other_zygote: Zygote) -> None:
    """A module is there when it was asked for, and is still given to those only who may have it."""
    source = "import plistlib\ndef f(): return plistlib.UID(1).data == 1"
    assert Returned(value=Atom(value=True), identity=None) == (
        observed(other_zygote, source, ("plistlib",)).outcome
    )
    for here, imports in ((zygote, ("plistlib",)), (other_zygote, STANDARD_MODULES)):
        refused = observed(here, source, imports).outcome
        assert isinstance(refused, Raised)
        assert "module 'plistlib' is not allowed in this exercise" == refused.message


# Around it


def test_a_suite_without_imports_has_the_default() -> None:
    """The default is the standard list."""
    body = CASES.partition("groups")[2].format()
    assert STANDARD_MODULES == suite(f"groups{body}", HEAD).imports
