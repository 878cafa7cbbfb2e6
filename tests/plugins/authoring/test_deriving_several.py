"""Exercises of several modules are derived: each name in its module, each module by itself."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from command_line import grader

SHOP: Final = {
    "exercise.yaml": "exercise: shop\ntitle: Shop\nlanguage: en\nmodules: [item, cart]\n"
    "defines: [Item, Cart]\n",
    "spec.md": """\
>>> from item import Item
>>> apple = Item("apple", 0.5)
>>> apple.price
0.5
>>> Item("pear", -1)
Traceback (most recent call last):
ValueError: a price is positive
>>> from cart import Cart
>>> cart = Cart()
>>> cart.add(apple, 4)
>>> cart.total()
2.0
""",
    "item.py": """\
class Item:
    def __init__(self, name, price):
        if price <= 0:
            raise ValueError("a price is positive")
        self.name, self.price = name, price
""",
    "cart.py": """\
from item import Item

class Cart:
    def __init__(self):
        self.lines = []

    def add(self, item, number):
        self.lines.append((item, number))

    def total(self):
        return sum(item.price * number for item, number in self.lines)
""",
}
TRIP: Final = {
    "exercise.yaml": "exercise: trip\ntitle: Trip\nlanguage: en\nmodules: [places, routes, trips]\n"
    "defines: [places.Place, Route, describe]\n",
    "spec.md": """\
>>> import places
>>> home = places.Place(0)
>>> places.move(home, 1)
>>> home.x
1
>>> from routes import *
>>> route = Route([home, places.Place(4)])
>>> length(route)
3
>>> import trips as t
>>> t.describe(route)
'3 km'
>>> describe(Route([]))
'0 km'
""",
    "places.py": "class Place:\n    def __init__(self, x):\n        self.x = x\n\n"
    "def move(place, step):\n    place.x += step\n",
    "routes.py": "class Route:\n    def __init__(self, places):\n        self.places = places\n\n"
    "def length(route):\n    xs = [each.x for each in route.places]\n"
    "    return xs[-1] - xs[0] if xs else 0\n",
    "trips.py": "import routes\n\ndef length(trip):\n    return 0\n\n"
    "def describe(route):\n    return f'{routes.length(route)} km'\n",
}

WHICH: Final = (
    "length is defined in routes.py and in trips.py, and the spec does not import it from one of "
    "them\n  --> reference/trip/spec.md:8:1"
)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with two exercises of several modules."""
    for name, files in (("shop", SHOP), ("trip", TRIP)):
        folder = tmp_path / "reference" / name
        folder.mkdir(parents=True)
        for file, text in files.items():
            (folder / file).write_text(text)
    (tmp_path / "testsuites").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    return tmp_path


def suite(course: Path, capfd: pytest.CaptureFixture[str], exercise: str) -> dict[str, Any]:
    """Return the suite that is derived for `exercise`."""
    code, _, err = grader(capfd, "derive", exercise)
    assert 0 == code, err
    made: dict[str, Any] = yaml.safe_load((course / "testsuites" / f"{exercise}.yaml").read_text())
    return made


def points(
    course: Path,
    capfd: pytest.CaptureFixture[str],
    exercise: str,
    changed: Mapping[str, str | None],
) -> tuple[str, str]:
    """Return the points of the reference with some files `changed`, and all that is said."""
    folder = course / "hand_in"
    folder.mkdir()
    for path in (course / "reference" / exercise).glob("*.py"):
        shutil.copy(path, folder)
    for file, text in changed.items():
        if text is None:
            (folder / file).unlink()
        else:
            (folder / file).write_text(text)
    _, out, _ = grader(capfd, "check", "hand_in", "--exercise", exercise)
    return out.splitlines()[1].partition(" points")[0], out


def test_each_module_has_a_session_of_its_own(
    course: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Names are bound one by one, earlier modules only prepare, and there are stand-ins."""
    made = suite(course, capfd, "shop")

    assert ["item.Item", "cart.Cart"] == made["defines"]
    assert {"item": "reference/shop/item.py"} == made["stand_ins"]
    first, second = made["sessions"]
    assert (["item"], ["item", "cart"]) == (first["uses"], second["uses"])
    assert (None, ["item"]) == (first.get("stand_ins"), second["stand_ins"])
    steps = [(step["do"], step.get("group")) for step in second["steps"]]
    assert [
        ("Item = item.Item", None),
        ("Cart = cart.Cart", None),
        ('apple = Item("apple", 0.5)', None),
        ("cart = Cart()", "Cart"),
        ("cart.add(apple, 4)", "add"),
        ("cart.total()", "total"),
    ] == steps


@pytest.mark.parametrize(
    ("changed", "earned"),
    [
        ({}, "6 of 6"),
        ({"item.py": "def broken(:\n"}, "3 of 6"),
        ({"item.py": None}, "3 of 6"),
        ({"item.py": "class Itm:\n    pass\n"}, "3 of 6"),
        ({"item.py": None, "item-1.py": SHOP["item.py"]}, "6 of 6"),
        ({"cart.py": "1 / 0\n"}, "3 of 6"),
        (
            {
                "item.py": None,
                "cart.py": None,
                "all.py": SHOP["item.py"] + SHOP["cart.py"].replace("from item import Item\n", ""),
            },
            "6 of 6",
        ),
    ],
)
def test_a_module_pays_for_itself(
    course: Path,
    capfd: pytest.CaptureFixture[str],
    changed: Mapping[str, str | None],
    earned: str,
) -> None:
    """One that is broken, missing, lacks a name, is called otherwise or stands in one file."""
    suite(course, capfd, "shop")
    assert earned == points(course, capfd, "shop", changed)[0]


def test_three_modules_with_imports_of_all_kinds(
    course: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What a star import gives goes before a name of another module; who only prepares acts."""
    made = suite(course, capfd, "trip")

    assert ["places.Place", "routes.Route", "trips.describe"] == made["defines"]
    assert ["move", "length", "describe"] == [
        group["id"] for group in made["groups"] if group["id"] not in {"Place", "Route"}
    ]
    (*_, last) = made["sessions"]
    assert ["places", "routes", "trips"] == last["uses"]
    codes = [step["do"] for step in last["steps"]]
    assert {"places.move(home, 1)", "t = trips", "describe = trips.describe"} <= {*codes}
    broken = {"places.py": "class Place:\n    pass\n"}
    earned, _ = points(course, capfd, "trip", broken)
    assert earned.startswith("4")


@pytest.mark.parametrize(
    ("exercise", "file", "old", "new", "said", "advice"),
    [
        (
            "trip",
            "spec.md",
            ">>> from routes import *\n",
            ">>> from routes import Route\n",
            WHICH,
            "start the session with an import, for example: >>> from routes import length",
        ),
        (
            "trip",
            "exercise.yaml",
            "describe]",
            "describe, length]",
            (
                "`defines` lists length without its module, but it is defined in routes.py and in"
                " trips.py"
            ),
            "write it with its module, for example routes.length",
        ),
        (
            "shop",
            "exercise.yaml",
            "Cart]",
            "Crt]",
            "`defines` lists Crt, but no module of the reference defines it",
            "define it in the reference, or remove it from `defines`",
        ),
        (
            "shop",
            "item.py",
            "class Item:",
            "class Item",
            "the reference cannot be loaded: SyntaxError: expected ':' (item.py, line 1)",
            "fix the reference, and derive again",
        ),
        (
            "shop",
            "exercise.yaml",
            "[item, cart]",
            "[item, basket]",
            "the reference file does not exist: reference/shop/basket.py",
            "put a solution named basket.py beside the spec",
        ),
    ],
)
def test_what_is_in_no_module_for_sure_is_told(
    course: Path,
    capfd: pytest.CaptureFixture[str],
    exercise: str,
    file: str,
    old: str,
    new: str,
    said: str,
    advice: str,
) -> None:
    """The name, the modules and the way out."""
    path = course / "reference" / exercise / file
    path.write_text(path.read_text().replace(old, new))
    code, _, err = grader(capfd, "derive", exercise)
    assert 0 != code
    assert f"error: {said}\n" in err
    assert f"  = help: {advice}\n" in err
