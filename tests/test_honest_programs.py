"""Idioms of honest programs: each stands in a complete solution that must get all its points."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
from builders import suite

from grader.intake.submissions import Entry, read_submission
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.sandbox.zygote import Zygote
from grader.verdict import Verdict

SUITE: Final = """
files: {grid.txt: "1 2"}
groups: [{id: g, points: 1}]
sessions:
- id: s
  steps:
  - {do: double(21), returns: '42', group: g}
"""
SOLUTION: Final = "def double(x):\n    return 2 * x\n"
NOT_ALLOWED: Final = "is not allowed in this exercise"


def record(zygote: Zygote, folder: Path, files: Mapping[str, str]) -> Record:
    """Return the record of the hand-in `files`, which lies in `folder`."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    submission = read_submission(Entry("student", folder), ("sample",), ("double",))
    return grade(suite(SUITE), submission, zygote)


def expect_full_points(zygote: Zygote, folder: Path, files: Mapping[str, str]) -> None:
    """Check that the hand-in `files` loses nothing."""
    seen = record(zygote, folder, files)
    facts = [(case.verdict, case.explanation) for case in seen.cases]
    assert [Verdict.PASSED] == [verdict for verdict, _ in facts], (seen.remarks, facts)


@pytest.mark.parametrize(
    "files",
    [
        {
            "sample.py": "from helpers.board import double\n",
            "helpers/__init__.py": "",
            "helpers/board.py": SOLUTION,
        },
        {"sample.py": "from helpers.board import double\n", "helpers/board.py": SOLUTION},
        {"sample.py": "import a.b.c\ndouble = a.b.c.double\n", "a/b/c.py": SOLUTION},
        {"sample.py": "import pkg\ndouble = pkg.double\n", "pkg/__init__.py": SOLUTION},
        {
            "sample.py": "from pkg import double\n",
            "pkg/__init__.py": "from .one import double\nfrom . import two\n",
            "pkg/one.py": "from pkg.two import times\ndef double(x): return times(2, x)\n",
            "pkg/two.py": "def times(x, y): return x * y\n",
        },
        {
            "work/sample.py": "from helpers.board import double\n",
            "work/helpers/board.py": SOLUTION,
            "elsewhere/helpers/board.py": "",
        },
        {"sample.py": "import json.encoder\n" + SOLUTION, "json/encoder.py": "1 / 0\n"},
        {
            "sample.py": "factor = int(open('sub/data.txt').read())\n"
            "def double(x): return factor * x\n",
            "sub/data.txt": "2",
        },
        {
            "sample.py": "import pkg.data\ndef double(x): return pkg.data.factor * x\n",
            "pkg/data.py": "import os\nhere = os.path.dirname(os.path.abspath(__file__))\n"
            "factor = int(open(os.path.join(here, 'data.txt')).read())\n",
            "pkg/data.txt": "2",
        },
        {"Sample.py": SOLUTION + "import sys, Sample\nassert Sample is sys.modules['sample']\n"},
        {
            "oplossing.py": "factor = 2\nimport helper\ndef double(x): return helper.twice(x)\n",
            "helper.py": "from oplossing import factor\ndef twice(x): return factor * x\n",
        },
    ],
    ids=" ".join,
)
def test_a_program_in_several_files(
    zygote: Zygote, tmp_path: Path, files: Mapping[str, str]
) -> None:
    """Packages, data in folders and the main file's own name are found as they are at home."""
    expect_full_points(zygote, tmp_path, files)


IDIOMS: Final = """
import io, sys
sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')
print('café')

import io, sys
sys.stdout = io.TextIOWrapper(sys.stdout.detach(), 'utf-8')

import codecs, sys
sys.stdout = codecs.getwriter('utf-8')(sys.stdout.buffer)
print('x')

import sys
sys.stdout.buffer.write(b'loaded\\n')
sys.stdout.flush()

import io, sys
assert (sys.stdout.name, sys.stdout.errors) == ('<stdout>', 'strict')
try: sys.stdout.fileno()
except io.UnsupportedOperation: pass

import sys
sys.stdin.buffer.read()
assert not sys.stdin.isatty()

import io, sys
sys.stdout = io.StringIO()
sys.stdout = sys.__stdout__
print('back')

import os, sys
sys.stdout = open(os.devnull, 'w')
print('nobody reads this')
sys.stdout = sys.__stdout__

import os
os.chdir('/')
os.mkdir('a')
os.chdir('a')
open('x', 'w').close()
os.chdir('..')
os.rename('a', 'b')
assert os.listdir('b') == ['x'] and os.getcwd() == '/'

import threading
seen = []
thread = threading.Thread(target=lambda: seen.append(thread.is_alive()))
vars(thread).pop('_is_stopped', None)  # as since Python 3.13
thread.start()
assert seen == [True] and not thread.is_alive() and threading.main_thread().is_alive()

import os
os.mkdir('a')
open('a/x', 'w').close()
os.rename('a', 'a')
try: os.rename('a', 'a/b')
except OSError as error: assert error.errno == 22
assert os.listdir('a') == ['x']

with open('log.txt', 'wb', buffering=0) as log:
 try: log.seek(0, 5)
 except OSError as error: assert error.errno == 22

import sys
for _ in range(200): print('x' * 100_000, file=sys.stderr)

import sys
sys.stderr.buffer.write(b'x')

import os
os.chdir(os.path.dirname(os.path.abspath(__file__)))
assert open('grid.txt').read()

import os
os.chdir('.')
try: os.chdir('/home')
except FileNotFoundError: pass

with open('log.txt', 'w') as log: log.write('a\\n')
with open('log.txt', 'a') as log: print('b', file=log)
assert open('log.txt').read() == 'a\\nb\\n'

open('new.txt', 'x').close()
try: open('new.txt', 'x')
except FileExistsError: pass

from pathlib import Path
Path('p.txt').write_text('x')
assert Path('p.txt').exists()
with open('p.txt', 'r+b') as f:
 f.seek(0, 2)
 f.write(b'y')
 f.seek(0)
 assert f.read() == b'xy'

import os
open('log.txt', 'w').write('abc')
assert os.path.getsize('log.txt') == 3
assert os.listdir() == ['grid.txt', 'log.txt']

import os
old = open('grid.txt').read()
with open('grid.txt', 'a') as file: file.write('more')
assert open('grid.txt').read() == old + 'more' and os.access('grid.txt', os.W_OK)
with open('grid.txt', 'r+') as file: file.truncate(1)
assert os.path.getsize('grid.txt') == 1 and os.listdir() == ['grid.txt']
with open('grid.txt', 'w') as file: file.write(old)

import glob, os, pathlib
os.makedirs('a/b', exist_ok=True)
pathlib.Path('a/b/x.txt').touch()
assert glob.glob('**/*.txt', recursive=True) == ['grid.txt', 'a/b/x.txt']
assert [*pathlib.Path().rglob('x.*')] == [pathlib.Path('a/b/x.txt')]
assert [folder for folder, _, files in os.walk('.') if 'x.txt' in files] == ['./a/b']
os.remove('a/b/x.txt')
os.removedirs('a/b')
assert os.listdir() == ['grid.txt']

import os, shutil
shutil.copy('grid.txt', 'other.txt')
shutil.copy2('grid.txt', 'other.txt')
os.mkdir('folder')
shutil.copy('grid.txt', 'folder')
shutil.move('other.txt', 'third.txt')
shutil.copytree('folder', 'again')
assert open('again/grid.txt').read() == open('third.txt').read() == '1 2'
shutil.rmtree('folder')
assert os.listdir() == ['again', 'grid.txt', 'third.txt']

import fileinput, linecache
assert linecache.getline('grid.txt', 1) == '1 2\\n'
assert [*fileinput.input('grid.txt')] == ['1 2']

import os
number = os.open('n.txt', os.O_RDWR | os.O_CREAT)
assert os.write(number, b'abc') == 3 and os.lseek(number, 1, 0) == 1
assert os.read(number, 9) == b'bc' and os.fstat(number).st_size == 3
os.close(number)
try: os.read(number, 1)
except OSError: pass

import gzip, os, tempfile
with gzip.open('x.gz', 'wt') as file: file.write('x')
assert gzip.open('x.gz').read() == b'x' and open('x.gz', 'rb').read(2) == b'\\x1f\\x8b'
with tempfile.TemporaryDirectory() as folder: open(os.path.join(folder, 'x'), 'w').close()
with tempfile.NamedTemporaryFile('w+') as file: assert os.path.exists(file.name)
with tempfile.TemporaryFile() as file: assert file.write(b'xy') == 2

import threading
seen = []
thread = threading.Thread(target=lambda: seen.append(threading.current_thread().name), name='t')
thread.start()
thread.join(1)
assert seen == ['t'] and not thread.is_alive() and threading.current_thread().name != 't'

import codecs
codecs.open('log.txt', 'w', 'utf-8').write('x')

import logging
logging.basicConfig(filename='debug.log', level=logging.DEBUG)
logging.debug('here')
assert 'here' in open('debug.log').read()

import logging
logging.warning('here')

import locale
assert locale.setlocale(locale.LC_ALL, 'nl_BE.UTF-8') == 'nl_BE.UTF-8'
locale.setlocale(locale.LC_ALL, '')
locale.setlocale(locale.LC_TIME, ('nl_BE', 'UTF-8'))
try: locale.setlocale(locale.LC_ALL, 'no such locale!')
except locale.Error: pass

import pickle, getopt, configparser, html, copyreg
pickle.loads(pickle.dumps([1]))

import asyncio, tkinter, turtle, subprocess, unittest.mock
import multiprocessing, cProfile, ctypes

import pdb, glob, tempfile, signal, select, socket, shelve
from glob import *
from signal import SIGINT as interrupt

import html.parser, urllib.parse, argparse, shutil, platform
class Page(html.parser.HTMLParser): pass
assert urllib.parse.quote(' ') == '%20'
argparse.ArgumentParser().parse_args([])

try: import numpy
except ModuleNotFoundError: pass
import importlib.util
assert importlib.util.find_spec('numpy') is None

import concurrent.futures
import xml.etree.ElementTree as ET
import tkinter as tk

from tkinter import *
from tkinter import Tk, messagebox
from xml.etree import ElementTree
from turtle import right, left
from unittest.mock import patch
from idlelib.tree import wheel

try: import numpy as np
except ImportError: np = None

try: from collections import Mapping
except ImportError: from collections.abc import Mapping
"""


@pytest.mark.parametrize("idiom", IDIOMS.strip().split("\n\n"))
def test_what_programs_do_when_they_are_loaded(zygote: Zygote, tmp_path: Path, idiom: str) -> None:
    """Streams, logs, locales and idle imports cost an honest program nothing."""
    expect_full_points(zygote, tmp_path, {"sample.py": f"{idiom}\n{SOLUTION}"})


def test_a_wrapped_stream_prints_in_its_own_step(zygote: Zygote, tmp_path: Path) -> None:
    """What a `TextIOWrapper` still holds belongs to the step that wrote it."""
    source = (
        "import io, sys\ndef double(x):\n"
        "    sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\n"
        "    print('caf\u00e9')\n    return 2 * x\n"
    )
    seen = record(zygote, tmp_path, {"sample.py": source})
    assert [Verdict.PASSED] == [case.verdict for case in seen.cases]
    assert ["remark.prints"] == [each.key for each in seen.remarks]


def raised(zygote: Zygote, folder: Path, code: str) -> str:
    """Return what a program whose function runs `code` raises, as its student reads it."""
    body = dedent(code).replace("\n", "\n    ")
    seen = record(zygote, folder, {"sample.py": f"def double(x):\n    {body}\n"})
    (case,) = seen.cases
    return case.got or ""


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import tkinter; tkinter.Tk()", f"'tkinter' {NOT_ALLOWED}"),
        ("import subprocess; subprocess.PIPE", f"'subprocess' {NOT_ALLOWED}"),
        ("from tkinter import Tk; Tk()", f"'tkinter' {NOT_ALLOWED}"),
        ("from tkinter import Tk; Tk.mainloop", f"'tkinter' {NOT_ALLOWED}"),
        ("from asyncio import Queue; Queue[int]", f"'asyncio' {NOT_ALLOWED}"),
        ("from turtle import Turtle\nclass T(Turtle): pass", f"'turtle' {NOT_ALLOWED}"),
        ("from concurrent.futures import wait; wait()", f"'concurrent' {NOT_ALLOWED}"),
        ("from unittest.mock import patch; patch('x')", f"'unittest.mock' {NOT_ALLOWED}"),
        ("import numpy; numpy.array", f"'numpy' {NOT_ALLOWED}"),
        ("from numpy.linalg import norm; norm([1])", f"'numpy' {NOT_ALLOWED}"),
        ("import urllib.request; urllib.request.urlopen", f"'urllib.request' {NOT_ALLOWED}"),
        ("import helpers.board", "No module named 'helpers'; was helpers.py handed in?"),
        ("import sampel", "No module named 'sampel'; did you mean 'sample'?"),
        ("import os.nothing", "No module named 'os.nothing'"),
        ("import grader", "No module named 'grader'"),
        ("open('new/log.txt', 'w')", "No such file or directory"),
        ("with open('big', 'wb') as file: file.write(bytes((1 << 20) + 1))", "No space left"),
        ("open('big', 'wb').truncate((1 << 20) + 1)", "No space left"),
        (
            "for name in 'abc':\n with open(name, 'wb') as file: file.write(bytes(1 << 19))",
            "No space left",
        ),
    ],
)
def test_what_is_not_there_is_told(zygote: Zygote, tmp_path: Path, code: str, message: str) -> None:
    """Who uses what this exercise does not have, or writes too much, reads so."""
    assert message in raised(zygote, tmp_path, code)


def test_what_one_session_writes_another_does_not_see(zygote: Zygote, tmp_path: Path) -> None:
    """Each session starts with the files of the exercise as they are, and without other ones."""
    source = "open('once.txt', 'x').write('x')\nassert open('grid.txt').read() != 'x'\n"
    source += "open('grid.txt', 'w').write('x')\n" + SOLUTION
    for _ in range(2):
        expect_full_points(zygote, tmp_path, {"sample.py": source})


def _may_fix_addresses() -> bool:
    personality = ctypes.CDLL(None).personality
    before = personality(ctypes.c_ulong(0xFFFFFFFF))
    if personality(ctypes.c_ulong(before | 0x0040000)) < 0:
        return False
    personality(ctypes.c_ulong(before))
    return True
