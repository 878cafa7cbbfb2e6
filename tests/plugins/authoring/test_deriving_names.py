"""Groups are called after what of the submission they try; what is not its doing is set-up."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from small_specs import derived

from grader.plugins.authoring.deriving.doubts import SpecError
from grader.sandbox.zygote import Zygote

SETTINGS: Final = "exercise: names\ntitle: Names\nlanguage: en\nmodule: names\ndefines: []\n"
REFERENCE: Final = """
class Bag:
    kinds = 1
    def __init__(self, *items):
        self.items = list(items)
    def put(self, item):
        self.items.append(item)
    def __add__(self, other):
        return Bag(*self.items, *other.items)
    def __eq__(self, other):
        return self.items == other.items
    def __neg__(self):
        return Bag()
    def __len__(self):
        return len(self.items)
    def __getitem__(self, index):
        return self.items[index]
    def __setitem__(self, index, item):
        raise TypeError('no')
    def __call__(self):
        return 3
    def __repr__(self):
        return f'Bag{tuple(self.items)}'

def sort(values):
    values.sort()

def count(n):
    return iter(range(n))

def double(function):
    def twice(x):
        return function(function(x))
    return twice

LIMIT = 9
"""
BAG: Final = "b = Bag(1, 2)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the reference of `names`."""
    made = tmp_path / "names"
    made.mkdir()
    (made / "exercise.yaml").write_text(SETTINGS)
    (made / "names.py").write_text(REFERENCE)
    return made


def titles(document: Any) -> list[str | None]:
    """Return the title of the group of each step, None for set-up."""
    called = {group["id"]: group["title"] for group in document["groups"]}
    (session,) = document["sessions"]
    return [called.get(step.get("group")) for step in session["steps"]]


@pytest.mark.parametrize(
    ("before", "code", "shown", "title"),
    [
        (BAG, "b + b", "Bag(1, 2, 1, 2)", "Bag +"),
        (BAG, "-b", "Bag()", "Bag -"),
        (BAG, "b == Bag(1, 2)", "True", "Bag =="),
        (BAG, "2 in b", "True", "Bag in"),
        (BAG, "b[0]", "1", "Bag []"),
        (BAG, "b()", "3", "Bag ()"),
        (BAG, "len(b)", "2", "Bag len"),
        (BAG, "b", "Bag(1, 2)", "Bag repr"),
        (BAG, "print(b)", "Bag(1, 2)", "str"),
        (BAG, "print(b, 1)", "Bag(1, 2) 1", "Bag str"),
        (BAG, "isinstance(b, Bag)", "True", "Bag"),
        (BAG, "type(b).__name__", "'Bag'", "Bag"),
        (BAG, "[x for x in b]", "[1, 2]", "Bag"),
        (BAG, "b.items", "[1, 2]", "items"),
        (BAG, "b += b", "", "Bag +"),
        (BAG, "b[0] = 3", "Traceback (most recent call last):\nTypeError: no", "Bag []: refused"),
        (BAG, "b.put(3)", "", "put"),
        (BAG, "for x in b:\n...     print(x)", "1\n2", "Bag"),
        (BAG, "len(b), b[0]", "(2, 1)", "Bag len"),
        ("values = [2, 1]\n>>> sort(values)", "values", "[1, 2]", "sort"),
        ("n = count(2)", "next(n)", "0", "count"),
        ("n = count(2)", "list(n)", "[0, 1]", "count"),
        ("", "sorted(count(2))", "[0, 1]", "count"),
        ("", "list(count(2)) == [0, 1]", "True", "count"),
        ("@double\n... def add(x):\n...     return x + 1", "add(1)", "3", "double"),
        ("@double\n... def add(x):\n...     return x + 1", "add.__name__", "'twice'", "double"),
        ("", "LIMIT", "9", "LIMIT"),
        ("", "Bag.kinds", "1", "Bag"),
        ("import names", "len(names.Bag(1))", "1", "Bag len"),
        ("import names as n", "list(n.count(2))", "[0, 1]", "count"),
    ],
)
def test_a_group_is_called_after_what_it_tries(
    zygote: Zygote, folder: Path, before: str, code: str, shown: str, title: str
) -> None:
    """Neither after a built-in function nor after nothing at all."""
    lines = [f">>> {line}" for line in (before, code) if line]
    done = derived(zygote, folder, "\n".join((*lines, shown)) + "\n")
    assert title == titles(done.document)[-1]


def test_what_is_none_of_its_doing_earns_nothing(zygote: Zygote, folder: Path) -> None:
    """Imports, values and functions of the spec, and a seed are set-up."""
    spec = """
>>> from names import Bag, sort
>>> import random
>>> random.seed(3)
>>> values = [3, 1]
>>> def key(x):
...     return -x
>>> sort(values)
>>> b = Bag()
"""
    document = derived(zygote, folder, spec).document
    assert [None, None, None, None, "sort", "Bag"] == titles(document)
    assert [1, 1] == [group["points"] for group in document["groups"]]


def test_a_group_can_be_given_a_title(zygote: Zygote, folder: Path) -> None:
    """The settings say it by the id of the group, in which an operator is spelled."""
    (folder / "exercise.yaml").write_text(f"{SETTINGS}titles: {{Bag-add: Adding bags}}\n")
    done = derived(zygote, folder, f">>> {BAG}\n>>> b + b\nBag(1, 2, 1, 2)\n")
    assert ["Bag", "Adding bags"] == titles(done.document)


@pytest.mark.parametrize(
    ("spec", "called"),
    [
        (">>> b = Bag(1)\n>>> 0.1 + 0.2\n0.30000000000000004\n", ["Bag", None]),
        (
            ">>> import names\n>>> v = [2, 1]\n>>> names.sort(v)\n>>> v[0]\n1\n>>> v\n[1, 2]\n",
            [None, None, None, "sort", "sort"],
        ),
        (
            ">>> a = Bag(1)\n>>> a\nBag(1,)\n>>> b = a + a\n>>> b.items\n[1, 1]\n",
            ["Bag", "Bag repr", None, "Bag +"],
        ),
        (">>> b = Bag()\n>>> b.put(1)\n>>> b.items\n[1]\n", ["Bag", "put", "items"]),
    ],
)
def test_what_a_later_example_shows_earns_nothing_itself(
    zygote: Zygote, folder: Path, spec: str, called: list[str | None]
) -> None:
    """That example is called after it; of a method it is a case, and so is what is unknown."""
    assert called == titles(derived(zygote, folder, spec).document)


@pytest.mark.parametrize(
    ("code", "title"),
    [
        ("next(count(0))\nTraceback (most recent call last):\nStopIteration", "count"),
        (
            "-b + 1\nTraceback (most recent call last):\n  ...\nAttributeError: ...",
            "Bag +: refused",
        ),
        (
            "try:\n...     b[0] = 1\n... except TypeError as error:\n...     print(error)\nno",
            "Bag []: refused",
        ),
    ],
)
def test_a_refusal_is_titled_as_one(zygote: Zygote, folder: Path, code: str, title: str) -> None:
    """So is a `try` that shows one; the end of an iterator is none."""
    done = derived(zygote, folder, f">>> {BAG}\n>>> {code}\n")
    assert title == titles(done.document)[-1]


def test_who_names_a_value_is_needed_by_who_reads_it(zygote: Zygote, folder: Path) -> None:
    """Of what the reference leaves as it was, no later example needs the call."""
    spec = f">>> {BAG}\n>>> c = b + b\n>>> c.items\n[1, 2, 1, 2]\n>>> b.items\n[1, 2]\n"
    (session,) = derived(zygote, folder, spec).document["sessions"]
    assert [None, False, None, None] == [step.get("action") for step in session["steps"]]


def test_a_spec_that_tries_nothing_is_told(zygote: Zygote, folder: Path) -> None:
    """With the place of its first example, and what to show."""
    with pytest.raises(
        SpecError, match="no example in this spec uses the students' code"
    ) as caught:
        derived(zygote, folder, "\n>>> import names\n>>> 1 + 1\n2\n")
    assert 2 == caught.value.line
