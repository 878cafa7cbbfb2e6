"""Writes a class as real ones are: mostly wrong, some right, and a few that make a grader wait.

Run: python benchmarks/class_writer.py FOLDER EXERCISE COUNT

What is written depends on the exercise, the number and the seed alone. No two hand-ins have the
same bytes, but for those that are empty.
"""

from __future__ import annotations

import ast
import builtins
import io
import random
import shutil
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle
from pathlib import Path
from textwrap import indent
from typing import Final, TypeAlias

from grader.plugins.authoring.exercise import Exercise, find_exercise
from grader.plugins.authoring.solutions import Sources, read_solutions

ROOT: Final = Path(__file__).resolve().parents[1]
EXERCISES: Final = ("yinyang", "akari", "str8ts", "triomino", "1010")
SLOW: Final = ("alle_viertallen", "leest_eigen_tekst")
"""Right solutions that are slow on purpose: no class has one in eight of these."""

Files: TypeAlias = Mapping[str, bytes]
"""What is handed in: the bytes of each file, by its name."""


class Kind(StrEnum):
    """What is the matter with a hand-in."""

    RIGHT = "right"
    WRONG = "wrong"
    LOOPS = "loops"
    PRINTS = "prints"
    HOGS = "hogs"
    UNGRADABLE = "ungradable"


SHARES: Final = {
    Kind.RIGHT: 30,
    Kind.WRONG: 60,
    Kind.LOOPS: 3,
    Kind.PRINTS: 2,
    Kind.HOGS: 2,
    Kind.UNGRADABLE: 3,
}
"""How many of a hundred hand-ins are of each kind."""

_FORMS: Final[Mapping[Kind, Mapping[str, str]]] = {
    Kind.LOOPS: {
        "while true": "while True:\n    pass",
        "never nearer": "left = 10\nwhile left != 0:\n    left -= 3",
        "to and fro": "place = 0\nwhile place < 2:\n    place = 1 - place",
        "recursion caught and tried again": (
            "def deeper(level):\n    return deeper(level + 1) + 1\n\n"
            "level = None\nwhile level is None:\n"
            "    try:\n        level = deeper(0)\n    except RecursionError:\n        pass"
        ),
    },
    Kind.PRINTS: {
        "lines": 'while True:\n    print("still looking")',
        "characters": 'row = 0\nwhile row < 5:\n    print("*", end="")',
        "a growing text": 'line = ""\nwhile line != "-":\n    line += "-+"\n    print(line)',
    },
    Kind.HOGS: {
        "a string that doubles": 'text = "-"\nwhile text:\n    text += text',
        "a list that doubles": "cells = [0]\nwhile cells:\n    cells += cells",
        "a list that grows": "seen = []\nwhile len(seen) >= 0:\n    seen.append([len(seen)])",
        "a cache that keeps all": "_CACHE[len(_CACHE)] = [0] * 500_000",
    },
}
"""What is put before the first statement of a function or method, by kind and form."""
_NAME_FIELDS: Final = ("name", "asname", "arg", "rest")
"""Where a syntax tree has names besides in its nodes for names."""
_BUILT_IN: Final = {*dir(builtins), "_CACHE"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HandIn:
    """A hand-in: who it is of, what is the matter with it, and how it came about."""

    student: str
    kind: Kind
    origin: str
    files: Files


def write_class(
    folder: Path, exercise: str, count: int, *, right_only: bool = False, seed: int = 0
) -> list[HandIn]:
    """Write a class of `count` hand-ins into `folder`, which is not there yet; return what it has.

    A hand-in of one file is a file; one of several is a folder, each fourth an archive.
    """
    hand_ins = made_class(exercise, count, right_only=right_only, seed=seed)
    folder.mkdir()
    for number, each in enumerate(hand_ins):
        place = folder / each.student
        if len(each.files) == 1:
            ((name, data),) = each.files.items()
            place.with_suffix(Path(name).suffix).write_bytes(data)
            continue
        place.mkdir()
        for name, data in each.files.items():
            (place / name).write_bytes(data)
        if number % 4 == 3:
            shutil.make_archive(str(place), "zip", place)
            shutil.rmtree(place)
    return hand_ins


def made_class(
    exercise: str, count: int, *, right_only: bool = False, seed: int = 0
) -> list[HandIn]:
    """Return a class of `count` hand-ins, in the order of the names."""
    draw = random.Random(f"{exercise} {seed}")
    kinds = [Kind.RIGHT] * count if right_only else _kinds(count)
    draw.shuffle(kinds)
    course = find_exercise(exercise, ROOT / "testsuites", None)
    right = {"reference": course.sources, **course.right_programs()}
    right = {name: sources for name, sources in right.items() if name not in SLOW}
    makers = {kind: _nasty(course, right, forms, draw) for kind, forms in _FORMS.items()}
    makers[Kind.RIGHT] = _in_turn(right, draw)
    makers[Kind.WRONG] = _in_turn(_wrong(course), draw)
    makers[Kind.UNGRADABLE] = _ungradable(exercise, right, draw)
    hand_ins = []
    for number, kind in enumerate(kinds):
        origin, files = next(makers[kind])
        different = _made_different(files, number)
        student = f"student_{number:05}"
        hand_ins.append(HandIn(student=student, kind=kind, origin=origin, files=different))
    return hand_ins


def _kinds(count: int) -> list[Kind]:
    """Return as many of each kind as their shares come to; what is left over goes to the wrong."""
    numbers = {kind: round(count * share / 100) for kind, share in SHARES.items()}
    numbers[Kind.WRONG] += count - sum(numbers.values())
    return [kind for kind, number in numbers.items() for _ in range(number)]


def _in_turn(programs: Mapping[str, Sources], draw: random.Random) -> Iterator[tuple[str, Files]]:
    """Yield each of `programs` before any comes again, in an order that is drawn."""
    for name in cycle(draw.sample(sorted(programs), len(programs))):
        yield name, _files(programs[name])


def _files(sources: Sources) -> Files:
    return {f"{module}.py": text.encode() for module, text in sources.items()}


def _wrong(exercise: Exercise) -> dict[str, Sources]:
    """Return the wrong programs that were written by hand, by name."""
    return {
        f"{place}/{each.name}": each.sources
        for place in ("faulty", "panel")
        for each in read_solutions(exercise.folder / place, exercise.sources)
    }


# Programs that do not end


def _nasty(
    exercise: Exercise,
    right: Mapping[str, Sources],
    forms: Mapping[str, str],
    draw: random.Random,
) -> Iterator[tuple[str, Files]]:
    """Yield right programs in which one function does what the `forms` say, each form in turn.

    It does so whenever it is called, or for some arguments.
    """
    functions = [
        (name, module, function)
        for name, sources in right.items()
        for module, text in sources.items()
        for function in _asked(exercise, module, ast.parse(text))
    ]
    for form in cycle(draw.sample(sorted(forms), len(forms))):
        block, always = forms[form], draw.random() < 0.5
        taken = _names_in(ast.parse(block))
        places = [each for each in functions if not _names_in(each[2]) & taken]
        name, module, function = draw.choice(places)
        text = _with_block(right[name][module], function, block, always=always)
        what = f"{form} in {function.name} of {name}"
        yield what, _files({**right[name], module: text})


def _asked(exercise: Exercise, module: str, tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Yield the functions and methods in the `tree` of a module that a suite may call."""
    suite = exercise.suite
    asked = {*suite.defines, *suite.helpers}
    several = len(suite.modules) > 1
    for node in tree.body:
        name = getattr(node, "name", "")
        if (f"{module}.{name}" if several else name) in asked:
            functions = [node] if isinstance(node, ast.FunctionDef) else getattr(node, "body", [])
            for each in functions:
                if isinstance(each, ast.FunctionDef) and _is_long(each) and _is_public(each):
                    yield each


def _is_public(function: ast.FunctionDef) -> bool:
    return not function.name.startswith("_") or function.name in {"__init__", "__str__"}


def _is_long(function: ast.FunctionDef) -> bool:
    """Return whether it has a statement on a line of its own, after its docstring."""
    first = _first_statement(function)
    if first is None or getattr(first, "decorator_list", []):
        return False
    return first.lineno > function.lineno


def _first_statement(function: ast.FunctionDef) -> ast.stmt | None:
    has_docstring = ast.get_docstring(function, clean=False) is not None
    return next(iter(function.body[has_docstring:]), None)


def _names_in(tree: ast.AST) -> set[str]:
    nodes = list(ast.walk(tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return (names | {node.arg for node in nodes if isinstance(node, ast.arg)}) - _BUILT_IN


def _with_block(text: str, function: ast.FunctionDef, block: str, *, always: bool) -> str:
    """Return `text` with `block` at the beginning of `function`, under a condition or `always`."""
    first = _first_statement(function)
    assert first is not None
    given = [each.arg for each in function.args.args if each.arg != "self"]
    if not always and given:
        block = f"if len(repr(({', '.join(given)},))) % 2:\n{indent(block, '    ')}"
    lines = text.splitlines(keepends=True)
    lines.insert(first.lineno - 1, indent(block, " " * first.col_offset) + "\n")
    return "".join([*lines, "\n\n_CACHE = {}\n"])


# What cannot be graded


def _ungradable(
    exercise: str, right: Mapping[str, Sources], draw: random.Random
) -> Iterator[tuple[str, Files]]:
    """Yield hand-ins that no suite can say anything about, each form in turn."""
    others = [each for each in EXERCISES[:-1] if each != exercise]
    for number, form in enumerate(cycle(("syntax error", "empty", "document", "other exercise"))):
        if form == "document":
            yield form, {"report.docx": _document(number)}
            continue
        if form == "other exercise":
            other = draw.choice(others)
            path = ROOT / "reference" / other / f"{other}.py"
            yield f"{form}: {other}", {path.name: path.read_bytes()}
            continue
        name = draw.choice(sorted(right))
        module, text = next(iter(right[name].items()))
        if form == "empty":
            yield form, _files(dict.fromkeys(right[name], ""))
        else:
            yield f"{form} in {name}", _files({**right[name], module: _without_colon(text, draw)})


def _without_colon(text: str, draw: random.Random) -> str:
    """Return `text` without the colon after one of its headings."""
    lines = text.splitlines(keepends=True)
    headings = [
        node.lineno - 1
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.For | ast.While | ast.If)
        if lines[node.lineno - 1].endswith(":\n")
    ]
    at = draw.choice(headings)
    lines[at] = lines[at].removesuffix(":\n") + "\n"
    return "".join(lines)


def _document(number: int) -> bytes:
    """Return what a word processor writes, as far as anybody here can tell."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in ("[Content_Types].xml", "word/document.xml"):
            archive.writestr(zipfile.ZipInfo(name), f"<document>{number}</document>")
    return data.getvalue()


# No two alike


def _made_different(files: Files, number: int) -> Files:
    """Return `files` with a local variable renamed in the first, or with a line more at its end."""
    name, data = next(iter(files.items()))
    if not data or not name.endswith(".py"):
        return files
    text = data.decode()
    renamed = _with_renamed_local(text, number) if number % 2 else None
    return {**files, name: (renamed or f"{text}\nNUMBER_IN_CLASS = {number}\n").encode()}


def _with_renamed_local(text: str, number: int) -> str | None:
    """Return `text` with one local variable under another name, if there is one to be renamed."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and (names := _locals(function)):
            return _renamed(text, function, min(names), f"_{number}")
    return None


def _locals(function: ast.FunctionDef) -> set[str]:
    """Return the variables of `function` that are nothing but plain names in it.

    None of a function that has others within; none that are in an f-string, of which Python 3.11
    does not tell the places.
    """
    nodes = list(ast.walk(function))[1:]
    scopes = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.Global, ast.Nonlocal)
    if any(isinstance(node, scopes) for node in nodes):
        return set()
    stored = {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    formatted = [_names_in(node) for node in nodes if isinstance(node, ast.JoinedStr)]
    strings = [getattr(node, field, None) for node in nodes for field in _NAME_FIELDS]
    return stored.difference(strings, *formatted)


def _renamed(text: str, function: ast.FunctionDef, name: str, ending: str) -> str:
    lines = text.encode().splitlines(keepends=True)
    places = {
        (node.lineno - 1, node.end_col_offset or 0)
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == name
    }
    for at, end in sorted(places, reverse=True):
        lines[at] = lines[at][:end] + ending.encode() + lines[at][end:]
    return b"".join(lines).decode()


def main() -> None:
    """Write a class where the user says, and print what is in it."""
    folder, exercise, count = sys.argv[1:]
    for each in write_class(Path(folder), exercise, int(count)):
        print(f"{each.student}  {each.kind:<10}  {each.origin}")


if __name__ == "__main__":
    main()
