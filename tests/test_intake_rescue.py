"""Hand-ins under another name, in another form, or in several versions: found, and told."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time
from typing import Any, Final

import pytest
from handed_in import SOURCE, main_name, obstacle, put, remarks, taken
from hypothesis import given
from hypothesis import strategies as st
from made_archives import tarred, zipped

from grader.intake.kinds import KINDS
from grader.intake.notebooks import exported
from grader.intake.opening import open_source
from grader.intake.rescue import imported_modules, names_in, rescue_code
from grader.intake.submissions import Entry, HandIn, collected, read_hand_in, understood
from grader.reporting.wording import LANGUAGES, say
from grader.store.graded import packed_hand_in, unpacked_hand_in

OTHER: Final = b"class Akari:\n    x = 1\n"
ONE: Final = b"def f(): pass\n"
BOTH: Final = b"def f(): pass\ndef g(): pass\n"
NOTEBOOK: Final = json.dumps({"cells": [{"cell_type": "code", "source": BOTH.decode()}]}).encode()
RUNS: Final = json.dumps({"cells": [{"cell_type": "code", "source": "%run a.py"}]}).encode()
NOTHING: Final = b"print('hallo')\n"


def of(**files: bytes) -> HandIn:
    """Return a hand-in of `files`, whose names have `__` for a dot."""
    return HandIn(
        student="s", files={name.replace("__", "."): data for name, data in files.items()}
    )


def found(files: dict[str, bytes], *defines: str) -> tuple[str | None, list[str]]:
    """Return the name of the file of `files` that is graded, and the keys of the remarks."""
    hand_in = HandIn(student="s", files=files)
    submission = understood(hand_in, ("akari",), defines or ("Akari",))
    return main_name(submission), remarks(submission)


@pytest.mark.parametrize(
    "name",
    [
        *("Akari.py", "AKARI.PY", "akari (1).py", "akari(2).py", "akari-1.py", "akari_v2.py"),
        *("Kopie van akari.py", "akari - Copy.py", "akari_final.py", "Akári.py", "akari.py.txt"),
        *("akari.txt", "akari", "oplossing.py", "werk/src/oplossing.py", "s0123_akari.pyw"),
    ],
)
def test_another_name_is_graded_with_a_remark(name: str) -> None:
    """Whatever the file is called, it is graded as the module that it holds."""
    text = f"{SOURCE.decode()}print(1)\n"
    hand_in = HandIn(student="s", files={name: text.encode(), "lees mij.md": SOURCE})
    submission = understood(hand_in, ("akari",), ("Akari",))
    assert text == submission.modules["akari"].text
    assert ["remark.file_name"] == remarks(submission)
    assert name in say(submission.remarks[0], "en")


@pytest.mark.parametrize(
    ("files", "main", "said"),
    [
        # The name that is asked for, and another version of the same.
        ({"akari.py": SOURCE, "akari (1).py": OTHER}, "akari.py", ["remark.other_files"]),
        ({"akari.py": SOURCE, "oud/akari.py": OTHER}, "akari.py", ["remark.other_files"]),
        ({"akari.py": SOURCE, "akari (1).py": SOURCE}, "akari.py", []),
        ({"akari.py": SOURCE, "test.py": NOTHING}, "akari.py", []),
        # A file of that name in which nothing is.
        ({"akari.py": NOTHING, "mijn.py": SOURCE}, "mijn.py", ["remark.file_name"]),
        ({"akari.py": b"from mijn import *\n", "mijn.py": SOURCE}, "akari.py", []),
        ({"akari.py": NOTHING, "test.py": NOTHING}, "akari.py", []),
        # None of that name: the one that was numbered last.
        (
            {"akari (9).py": SOURCE, "akari (10).py": OTHER},
            "akari (10).py",
            ["remark.file_name", "remark.other_files"],
        ),
        ({"v1.py": SOURCE, "oud/v2.py": SOURCE}, "v1.py", ["remark.file_name"]),
        ({"akari (1).py": NOTHING, "x.py": NOTHING}, "akari (1).py", ["remark.file_name"]),
        # What is named as Python comes before what is not.
        ({"akari.py": SOURCE, "akari.txt": OTHER}, "akari.py", []),
        ({"akari.py": NOTHING, "akari.txt": SOURCE}, "akari.txt", ["remark.file_name"]),
        ({"x.txt": b"Akari is a game.\n", "y.txt": SOURCE}, "y.txt", ["remark.file_name"]),
        ({"akari.txt": b"def is a word\n"}, None, []),
    ],
)
def test_of_several_files_one_is_graded(
    files: dict[str, bytes], main: str | None, said: list[str]
) -> None:
    """The one with the name, unless only another defines what is asked; never silently."""
    assert (main, said) == found(files)


def test_the_file_that_defines_most_is_graded() -> None:
    """One name in common is not enough where another file has both."""
    both = b"def f(): pass\nasync def g(): pass\n"
    files = {"a.py": b"def f(): pass\n", "b.py": both, "z.py": b"def g(): pass\n"}
    assert ("b.py", ["remark.file_name", "remark.other_files"]) == found(files, "f", "g")


def test_many_versions_are_those_of_several_students() -> None:
    """Nobody is graded on the work of one of them; a name that is near says which it is."""
    versions = {f"{name}.py": SOURCE + name.encode() for name in ("an", "jan", "piet")}
    assert (None, []) == found(versions)
    main, said = found({**versions, "akari (1).py": SOURCE})
    assert ("akari (1).py", ["remark.file_name", "remark.other_files"]) == (main, said)
    assert ("an.py", ["remark.file_name"]) == found(dict.fromkeys(["an.py", "a.py"], SOURCE))


@pytest.mark.parametrize(
    ("files", "main", "said"),
    [
        ({"rest.py": BOTH, "a.py": ONE}, "rest.py", ["remark.file_name", "remark.other_files"]),
        ({"akari.py": ONE, "akari.ipynb": NOTEBOOK}, "akari.py", ["remark.elsewhere"]),
        ({"mijn.ipynb": NOTEBOOK, "a.py": ONE}, "mijn.ipynb", ["remark.notebook"]),
        ({"akari.ipynb": RUNS, "a.py": BOTH}, "a.py", ["remark.file_name"]),
        ({"akari.py": ONE, "rest.txt": b"def g(): pass\n"}, "akari.py", ["remark.elsewhere"]),
        ({"akari.py": b"from rest import (g)\n" + ONE, "rest.py": BOTH}, "akari.py", []),
        (
            {"mijn.py": BOTH, **{f"{n}.py": b"from mijn import *\nn = %d" % n for n in range(3)}},
            *("mijn.py", ["remark.file_name"]),
        ),
    ],
)
def test_files_are_told_apart_by_what_is_found_in_them(
    files: dict[str, bytes], main: str, said: list[str]
) -> None:
    """That is what they define, and what they take from each other; what is elsewhere is told."""
    assert (main, said) == found(files, "f", "g")


def test_a_helper_that_is_imported_is_no_other_version() -> None:
    """Some put half of the work in a file of its own."""
    files = {"akari.py": b"from hulp import f\nclass Akari: pass\n", "hulp.py": b"class Akari:..\n"}
    assert ("akari.py", []) == found(files)


@pytest.mark.parametrize("student", ["jan", "jan (2)", "an"])
def test_who_has_named_a_file_is_kept_with_it(tmp_path: Path, student: str) -> None:
    """A grading again has the same remarks, also where the folder is gone."""
    put(tmp_path, "jan.py")
    hand_in = collected(Entry(student, tmp_path / "jan.py"))
    assert (student != "an") is hand_in.is_named_after_student
    assert hand_in == unpacked_hand_in(packed_hand_in(hand_in), student)


def test_what_lies_in_the_current_folder_names_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder there may be called as the file of a student is."""
    put(tmp_path / "class", "jan.py")
    (tmp_path / "jan.py").mkdir()
    monkeypatch.chdir(tmp_path)
    assert collected(Entry("jan", tmp_path / "class" / "jan.py")).is_named_after_student


# Archives


@pytest.mark.parametrize("make", [zipped, tarred])
def test_an_archive_in_a_hand_in_is_opened(tmp_path: Path, make: Any) -> None:
    """What is in it is graded as if it lay there, and its student is told."""
    put(tmp_path, "jan/werk.zip", data=make({"werk/akari.py": SOURCE, "werk/hulp.py": b""}))
    submission = taken(tmp_path / "jan")
    assert ("akari.py", ["remark.unpacked"]) == (main_name(submission), remarks(submission))
    assert {"akari", "hulp"} == submission.modules.keys()
    assert {"werk/werk/akari.py", "werk/werk/hulp.py"} == submission.raw.keys()


def test_an_archive_of_a_student_is_a_hand_in(tmp_path: Path) -> None:
    """One archive for each student needs no remark."""
    put(tmp_path, "jan.zip", data=zipped({"akari.py": SOURCE}))
    submission = taken(tmp_path / "jan.zip")
    assert ("akari.py", []) == (main_name(submission), remarks(submission))


def test_only_archives_of_students_have_a_remark(tmp_path: Path) -> None:
    """What stands before the path that a student gave is the work of the platform."""
    put(tmp_path, "class/ann.zip", data=zipped({"werk.zip": zipped({"src/akari.py": SOURCE})}))
    (leaf,) = open_source(tmp_path / "class").leaves
    assert ("ann/werk/src/akari.py", "ann/werk.zip") == (leaf.path, leaf.archive)
    for name, count in (("werk/src/akari.py", 1), ("src/akari.py", 0), ("akari.py", 0)):
        assert count == len(read_hand_in("ann", {name: leaf}).remarks)


# Notebooks and pages


def notebook(*cells: str | list[str], version: int = 4) -> bytes:
    """Return a notebook with these cells of code, and one of text."""
    if version == 3:
        codes = [{"cell_type": "code", "input": cell} for cell in cells]
        return json.dumps({"worksheets": [{"cells": codes}]}).encode()
    codes = [{"cell_type": "code", "source": cell} for cell in cells]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "# A"}, *codes]}).encode()


@pytest.mark.parametrize("version", [3, 4])
def test_a_notebook_is_graded_cell_after_cell(version: int) -> None:
    """The code of all cells is one module; lines may be a list or one text."""
    data = notebook(["class Akari:\n", "    pass"], "x = Akari()", version=version)
    submission = understood(of(mijn__ipynb=data), ("akari",), ("Akari",))
    text = "# cell 1\nclass Akari:\n    pass\n\n# cell 2\nx = Akari()"
    assert text == submission.modules["akari"].text
    assert ("mijn.ipynb", ["remark.notebook"]) == (main_name(submission), remarks(submission))


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("%matplotlib inline\nx = 1", "# %matplotlib inline\nx = 1"),
        ("!pip install x", "# !pip install x"),
        ("if x:\n    !ls\n    %cd y", "if x:\n    pass  # !ls\n    pass  # %cd y"),
        ("%%time\nx = 1", "# %%time\nx = 1"),
        ("%%writefile akari.py\nx = 1", "# %%writefile akari.py\nx = 1"),
        ("%%bash\nrm -r x", "# %%bash\n# rm -r x"),
        ("?print\nprint?\nprint??", "# ?print\n# print?\n# print??"),
        ("%%writefile a.csv\na;b", "# %%writefile a.csv\n# a;b"),
        ("%%capture --no-stderr out\nx = 1", "out = get_ipython()\nx = 1"),
        ("files = !ls\nt = %timeit f()", "files = get_ipython()\nt = get_ipython()"),
        (
            "%time x = f(1)\nt = %time g()\n%timeit -n 10 f(2)",
            "x = f(1)\nt = g()\n# %timeit -n 10 f(2)",
        ),
        ("\n\n%%html\n<b>", "\n\n# %%html\n# <b>"),
        ("\n  x = 1\n  if x:\n    y\nz", "\nx = 1\nif x:\n  y\nz"),
        (">>> if x:\n...     y\n...\n", "if x:\n    y\n\n"),
        ("In [3]: if x:\n   ...:     y", "if x:\n    y"),
        ("...\nx", "...\nx"),
        ("import a; b; %cd c\nx = '; %d'", "import a; b\nx = '; %d'"),
        ("if x:\n    %run -i './a/b.py'\n%run c", "if x:\n    from a.b import *\nfrom c import *"),
        ("!pip install \\\n  numpy\nx = 1", "# !pip install \\\n#   numpy\nx = 1"),
        ("x = '''\n%s\n'''\ny = (1\n%z)", "x = '''\n%s\n'''\ny = (1\n%z)"),
        ("# cell 7\nx = 1", "# cell 7 \nx = 1"),
        ("x = (a\n  % b\n  != c)", "x = (a\n  % b\n  != c)"),
        ("y = a % b  # what?", "y = a % b  # what?"),
    ],
)
def test_what_a_notebook_has_for_itself_becomes_a_comment(cell: str, code: str) -> None:
    """Magics, commands to a shell and questions are no Python."""
    found = rescue_code("a.ipynb", notebook(cell))
    assert found is not None
    assert f"# cell 1\n{code}" == found.text


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"{}", b"[]", b"null", b"{", b'{"cells": 1}', b'{"worksheets": [{}]}'),
        *(b"[" * 100_000, b'{"a": ' + b"9" * 10_000 + b"}"),
    ],
)
def test_what_is_no_notebook_is_none(data: bytes) -> None:
    """A damaged one is no code."""
    assert None is rescue_code("a.ipynb", data)


def test_what_is_odd_in_a_notebook_takes_nothing_else_along() -> None:
    """Cells that are none are passed over, and text that cannot be written down is replaced."""
    code = {
        "cell_type": "code",
        "execution_count": "1",
        "source": ["x = 1\r\n", 2, "y = '\ud800\0'"],
    }
    cells: list[Any] = [1, None, {}, {"cell_type": []}, {"cell_type": "code", "source": 3}, code]
    found = rescue_code("a.ipynb", json.dumps({"cells": cells}).encode())
    assert found is not None
    assert "# cell 1\n\n\n# cell 2\nx = 1\ny = '??'" == found.text


@pytest.mark.parametrize(
    "line", ["'" + "\\'" * 50_000, " " * 100_000, "a =" * 30_000, "'; " * 30_000]
)
def test_no_line_takes_long_to_read(line: str) -> None:
    """Whoever makes a notebook to keep us busy is read in the time of any other."""
    before = process_time()
    rescue_code("a.ipynb", notebook(line))
    assert 2 > process_time() - before


def test_code_that_was_pasted_into_a_page_is_graded() -> None:
    """Platforms keep a text that is typed in as a page, with spaces that do not break."""
    page = b"<p>class Akari:<br />&nbsp; &nbsp; x = 1 &lt; 2<br></p><div>y&nbsp;= 3</div>"
    submission = understood(of(onlinetext__html=page), ("akari",), ("Akari",))
    assert "class Akari:\n    x = 1 < 2\n\ny = 3\n" == submission.modules["akari"].text
    assert ["remark.page"] == remarks(submission)


@pytest.mark.parametrize("text", [b"&#" + b"9" * 5000 + b";", b"&#x110000;", b"<" * 999, b"&"])
def test_odd_pages_are_text(text: bytes) -> None:
    """A character that is none is left out."""
    assert rescue_code("a.html", text) is not None


# What cannot be graded


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.docx", zipped({"[Content_Types].xml": b""}), "document"),
        ("akari.py", zipped({"[Content_Types].xml": b""}), "document"),
        ("akari.py", b"{\\rtf1\\ansi", "document"),
        ("a.pdf", b"%", "document"),
        ("a.odt", b"PK\3\4", "document"),
        ("a.rar", b"Rar!\x1a\x07\x01\x00", "packed"),
        ("akari", b"7z\xbc\xaf\x27\x1c", "packed"),
        ("a.zip", b"PK\3\4", "packed"),
        ("foto.jpg", b"\xff\xd8\xff", "picture"),
        ("akari.py - Shortcut.lnk", b"?", "shortcut"),
        ("akari.exe", b"MZ", "program"),
    ],
)
@pytest.mark.parametrize("modules", [("akari",), ("Board", "Game")])
def test_what_is_no_program_says_what_to_hand_in(
    name: str, data: bytes, kind: str, modules: tuple[str, ...]
) -> None:
    """Told by what is in it, or by its name, in the words of its student."""
    submission = understood(HandIn(student="s", files={name: data}), modules, ("Akari",))
    assert submission.ungradable is not None
    assert f"ungradable.{kind}" == submission.ungradable.key
    assert kind in KINDS
    for language in LANGUAGES:
        assert f"{modules[0]}.py" in say(submission.ungradable, language)


def test_a_document_that_is_empty_is_empty() -> None:
    """An upload that failed is told as that."""
    submission = understood(HandIn(student="s", files={"a.zip": b""}), ("akari",), ("Akari",))
    assert "a.zip is empty." == obstacle(submission)


def test_a_document_that_is_too_large_is_a_document(tmp_path: Path) -> None:
    """To hand in a smaller one would not help."""
    put(tmp_path, "verslag.docx", data=b"PK" + bytes(2 << 20))
    assert obstacle(taken(tmp_path)).startswith("verslag.docx is a document, not a program.")


def test_a_program_beside_a_document_is_graded() -> None:
    """A report that goes along says nothing of the code."""
    assert ("akari.py", []) == found({"akari.py": SOURCE, "verslag.pdf": b"%PDF-1.7"})


# Several modules

MODULES: Final = ("Point", "Shape", "Game")
DEFINES: Final = ("Point.Point", "Shape.Shape", "Game.play")
POINT: Final = b"class Point: pass\n"
SHAPE: Final = b"from Point import Point\nclass Shape: pass\n"
GAME: Final = b"def play(): pass\n"


@pytest.mark.parametrize(
    ("files", "parts", "said"),
    [
        (
            {"Point (1).py": POINT, "shape.py": SHAPE, "spel.py": GAME},
            {"Point": "Point", "Shape": "shape", "Game": "Game"},
            ["remark.file_name", "remark.module_name", "remark.file_name"],
        ),
        (
            {"punt.py": POINT, "Shape.py": b"import punt\nclass Shape: pass\n", "Game.py": GAME},
            {"Point": "punt", "Shape": "Shape", "Game": "Game"},
            ["remark.file_name"],
        ),
        (
            {"Point.txt": POINT, "Shape.ipynb": notebook(SHAPE.decode()), "Game.py": GAME},
            {"Point": "Point", "Shape": "Shape", "Game": "Game"},
            ["remark.file_name", "remark.notebook"],
        ),
        (
            {"Point.py": POINT, "Point (1).py": b"class Point: x = 1\n", "Game.py": GAME},
            {"Point": "Point", "Game": "Game"},
            ["remark.other_files"],
        ),
        (
            {"Point.py": b"", "Point (1).py": POINT, "Game.py": GAME},
            {"Point": "Point", "Game": "Game"},
            ["remark.file_name"],
        ),
        (
            {"werk/Point.py": POINT, "werk/Game.py": GAME, "Game.py": GAME},
            {"Point": "Point", "Game": "Game"},
            ["remark.other_folder"],
        ),
        ({"tests.py": b"def test(): pass\n", "x/Game.py": GAME}, {"Game": "Game"}, []),
    ],
)
def test_modules_under_other_names(
    files: dict[str, bytes], parts: dict[str, str], said: list[str]
) -> None:
    """Each is found by itself, in the folder that has most of them."""
    submission = understood(HandIn(student="s", files=files), MODULES, DEFINES)
    assert (parts, said) == (submission.parts, remarks(submission))
    assert {*parts.values()} <= submission.modules.keys()


# Packages


@pytest.mark.parametrize(
    ("main", "names"),
    [
        (b"from hulp import f\n", {"akari", "hulp"}),
        (b"from .hulp import f\n", {"akari", "hulp"}),
        (b"from spel.hulp import f\n", {"akari", "spel.hulp"}),
        (b"from spel import x, hulp\n", {"akari", "spel.hulp"}),
        (b"import os, spel.hulp\n", {"akari", "spel.hulp"}),
    ],
)
def test_a_module_in_a_package_finds_its_neighbours(main: bytes, names: set[str]) -> None:
    """They are known as they are imported, by the folder that they lie in or without it."""
    files = {"spel/akari.py": main + SOURCE, "spel/hulp.py": b"def f(): pass\n"}
    submission = understood(HandIn(student="s", files=files), ("akari",), ("Akari",))
    assert (names, []) == (set(submission.modules), remarks(submission))


def test_a_package_itself_is_known_where_it_is_imported() -> None:
    """What its `__init__.py` says is there."""
    files = {"spel/akari.py": b"import spel\n" + SOURCE, "spel/__init__.py": b"x = 1\n"}
    submission = understood(HandIn(student="s", files=files), ("akari",), ("Akari",))
    assert {"akari", "spel"} == submission.modules.keys()


# The words of a source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a", {"a"}),
        ("import b, a.c as d;x", {"a", "b"}),
        ("  from a.b import x", {"a"}),
        ("from .a import x", {"a"}),
        ("from . import a", set()),
        ("# import a", set()),
        ("x = 'import a'", set()),
        ("import b # a", {"b"}),
    ],
)
def test_imports_are_told_by_words(text: str, expected: set[str]) -> None:
    """A source is searched, never parsed."""
    assert expected == imported_modules(f"x = 1\n{text}\n")


def test_names_are_those_at_the_beginning_of_a_line() -> None:
    """Methods and names in comments are none; letters are those that Python reads."""
    text = "class A(B):\n  def b(): ...\nasync  def  ﬁ(): ...\n# def c(): ...\ndef\td(): ..."
    assert {"A", "fi", "d"} == names_in(text)


@given(st.dictionaries(st.text(min_size=1, max_size=12), st.binary(max_size=60), max_size=4))
def test_whatever_was_handed_in_is_understood(files: dict[str, bytes]) -> None:
    """No name and no content of a file breaks anything; what is not graded says why."""
    for modules in (("akari",), ("Point", "Game")):
        hand_in = HandIn(student="s", files={name.strip("/") or "x": files[name] for name in files})
        submission = understood(hand_in, modules, ("Akari", "Point.Point"))
        assert bool(submission.parts) is (submission.ungradable is None) or submission.parts


GIVEN = "from IPython import display, get_ipython"
COLAB = '"""A.ipynb\n\nAutomatically generated by Colab.\n"""\n'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "# In[1]:\nget_ipython().system('ls')\nx = 1",
            f"{GIVEN}  # In[1]:\nget_ipython().system('ls')\nx = 1",
        ),
        (
            "# In[1]:\nget_ipython().run_cell_magic('time', '', 'x = 1\\ny = 2\\n')\n",
            "# In[1]:\n# %%time\nx = 1\ny = 2\n\n",
        ),
        ("# %%\n# %%time\n# x = 1\n# %time y = 2", "# %%\n# %%time\nx = 1\ny = 2"),
        ("# %%\n# %%time series\n# of x", "# %%\n# %%time series\n# of x"),
        (f"{COLAB}display(1)", f"{GIVEN}; {COLAB}display(1)"),
        ("# In[ ]:\nget_ipython().run_line_magic('time', 'x = f(1)')", "# In[ ]:\nx = f(1)"),
        (f"{COLAB}!ls", f"{COLAB}# !ls"),
        ("x = 1\n!ls", "x = 1\n!ls"),
    ],
)
def test_a_file_made_of_a_notebook_loses_its_magics(text: str, code: str) -> None:
    """That is one that says so; in any other file they are mistakes."""
    assert code == exported(text)


def test_the_order_in_which_cells_were_run_is_told() -> None:
    """Where it is another one than that in which they stand."""
    for counts, in_order in (((1, 2, 5), True), ((3, None, 1), False), ((None, None), True)):
        cells = [
            {"cell_type": "code", "source": "x = 1", "execution_count": count} for count in counts
        ]
        found = rescue_code("a.ipynb", json.dumps({"cells": cells}).encode())
        assert found is not None
        assert in_order == found.ran_in_order
