"""The pages of packages and the glossary match the code; imports point down the table of layers."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from documentation import ROOT, named, text_of

from grader import seams
from grader.executor.hosts import HOSTS

MODULES: Final = [*(ROOT / "grader").rglob("*.py")]
PACKAGES: Final = ROOT / "docs/packages"
ALL_MODULES: Final = PACKAGES / "modules.md"
PAGES: Final = sorted(set(PACKAGES.glob("*.md")) - {PACKAGES / "README.md", ALL_MODULES})
GLOSSARY: Final = ROOT / "docs/glossary.md"
MAX_WORDS: Final = 150
"""In all glossaries together: nobody learns four hundred words before the first line of code."""
MAX_WORDS_ON_A_PAGE: Final = 400
"""Which is a printed page, with its tables and links."""
WIDELY_USED: Final = 6
"""From so many other packages on, a reader meets a class before its own package."""
ISLANDERS: Final = frozenset({*HOSTS.values(), "grader.plugins.site.executing"})
"""What runs in an executor, of plug-ins."""
BRIDGE: Final = "grader.plugins.own_tests.bridge"
TWINS: Final = frozenset({"SurveyJudge"})
"""A kit has a judge of its own in the place of the one that surveys."""


def top(name: str) -> str:
    """Return the package or module that `name` is in: `suite`, or `plugins/site`."""
    parts = name.split(".")
    return "/".join(parts[1 : 3 if parts[1] == "plugins" else 2])


@cache
def tops() -> frozenset[str]:
    """Return the names of all packages, of top-level modules, and of each plug-in."""
    places = [*(ROOT / "grader").iterdir(), *(ROOT / "grader/plugins").iterdir()]
    names = {
        place.relative_to(ROOT / "grader").with_suffix("").as_posix()
        for place in places
        if place.suffix == ".py" or (place / "__init__.py").is_file()
    }
    return frozenset(names - {"__init__", "plugins", "plugins/__init__"})


def name_of(path: Path) -> str:
    """Return the dotted name of the module at `path`."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of the module at `path`."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each module of `grader` that a file imports, lazily too, and the imported name."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "grader":
            assert node.module is not None
            for alias in node.names:
                yield f"{node.module}.{alias.name}", alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("grader."):
                    yield alias.name, ""


# Layers


def layers() -> Mapping[str, int | None]:
    """Return the layer of each package in the table, None for the island."""
    table = text_of(PACKAGES / "README.md").split("<!-- layers -->")[1]
    rows = re.findall(
        r"^\| \[?`([\w/]+)`(?:\]\(\w+\.md\))? \| (\d+|island) \|",
        table.split("<!-- /layers -->")[0],
        re.MULTILINE,
    )
    return {name: None if layer == "island" else int(layer) for name, layer in rows}


def test_imports_point_down_the_table() -> None:
    """A module imports only lower layers; nobody imports the island."""
    height = layers()
    assert height.keys() == tops()
    for path in MODULES:
        name = name_of(path)
        if name in {"grader.__init__", "grader.plugins.__init__"}:
            continue
        others = {top(other) for other, _ in imports(path)} & tops() - {top(name)}
        own = height[top(name)]
        if own is None:
            assert others <= {"protocol"}, path
        elif name in ISLANDERS or name.startswith(BRIDGE):
            assert others <= {"protocol", "executor"}, path
        else:
            wrong = {other for other in others if (height[other] or own) >= own}
            assert not wrong, f"{path} imports {wrong}"


# Pages


def test_each_package_has_its_page() -> None:
    """Packages and plug-ins have a page each, and single modules have none."""
    packages = {each for each in tops() if (ROOT / "grader" / each).is_dir()}
    titles = {re.match(r"# `grader/([\w/]+)`\n", text_of(page)): page for page in PAGES}
    assert None not in titles
    assert packages == {found[1] for found in titles if found is not None}
    for found, page in titles.items():
        assert found is not None
        assert found[1].split("/")[-1] == page.stem


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_pages_name_modules_that_exist(page: Path) -> None:
    """The first column of the table has files of the package, and the page is short."""
    text = text_of(page)
    folder = ROOT / "grader" / text.split("`")[1].removeprefix("grader/")
    table = text.split("| Module |")[1].split("\n\n")[0]
    files = [
        file
        for cell in re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE)
        for file in re.findall(r"`([^`]+)`", cell)
    ]
    assert files
    assert not [file for file in files if not (folder / file).exists()]
    assert len(text.split()) <= MAX_WORDS_ON_A_PAGE


def page_of_modules() -> str:
    """Return the page that lists all modules, each with the first sentence of its docstring."""
    lines = ["# All modules", "", "Made from their docstrings: search this page for a word."]
    sections: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(MODULES):
        if path.name != "__init__.py":
            sections[top(name_of(path)) if path.parent.name != "grader" else ""].append(path)
    for section, paths in sections.items():
        folder = ROOT / "grader" / section
        lines += ["", f"## `grader/{section}`".replace("/`", "`"), "", "| Module | What it does |"]
        lines.append("|---|---|")
        for path in paths:
            said = (ast.get_docstring(tree(path)) or "").split("\n\n")[0]
            lines.append(f"| `{path.relative_to(folder)}` | {' '.join(said.split())} |")
    return "\n".join(lines) + "\n"


def test_page_of_modules_is_that_of_today() -> None:
    """Run this file as a program to write it again."""
    assert page_of_modules() == text_of(ALL_MODULES)


def test_architecture_names_the_plug_ins_of_each_seam() -> None:
    """The table of seams has each seam, with the plug-ins that its table names."""
    page = text_of(ROOT / "docs/architecture.md")
    rows = re.findall(r"^\| `([A-Z]+)` in `([\w/.]+)` \|.*\| ([^|]+) \|$", page, re.MULTILINE)
    shown = {name: set(plugins.split(", ")) for name, _, plugins in rows}
    tables = {
        name: seam.table.values()
        for name, seam in vars(seams).items()
        if isinstance(seam, seams.Seam)
    } | {"HOSTS": HOSTS.values()}
    named_there = {
        name: {place.split(".")[2] for place in table if place.startswith(seams.PLUGINS)}
        for name, table in tables.items()
    }
    assert named_there == {name: shown[name] for name in named_there}


# Words


def words_in(page: Path) -> list[str]:
    """Return the words that the glossary tables of a page explain."""
    tables = re.findall(r"^\| Word \|.*\n\|[-|]+\n((?:\|.*\n)+)", text_of(page), re.MULTILINE)
    rows = [row for table in tables for row in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)]
    return [word for row in rows for word in row.split(", ")]


def test_glossaries_are_short_and_explain_a_word_once() -> None:
    """All words together are few, and none is explained twice."""
    words = [word for page in (GLOSSARY, *PAGES) for word in words_in(page)]
    assert len(words) <= MAX_WORDS
    assert not {word for word in words if words.count(word) > 1}


def public_classes() -> list[tuple[str, str]]:
    """Return the name of each public class, and of the package that it is in."""
    return [
        (node.name, top(name_of(path)))
        for path in MODULES
        if path.parent != ROOT / "grader" or path.stem != "__init__"
        for node in tree(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


def test_words_of_widely_used_classes_are_explained() -> None:
    """What many packages import is called by words of the glossary; errors explain themselves."""
    homes = dict(public_classes())
    users = defaultdict(set)
    for path in MODULES:
        for _, name in imports(path):
            if name in homes and top(name_of(path)) != homes[name]:
                users[name].add(top(name_of(path)))
    wide = {name for name, packages in users.items() if len(packages) >= WIDELY_USED}
    assert "Suite" in wide
    words = {part.rstrip("s") for word in words_in(GLOSSARY) for part in re.split("[ -]", word)}
    for name in {name for name in wide if not name.endswith("Error")}:
        parts = re.findall("[A-Z][a-z]+", name)
        assert not {part for part in parts if part.lower().rstrip("s") not in words}, name


def test_a_name_stands_for_one_class() -> None:
    """Two public classes of the core and its plug-ins never have the same name."""
    names = [name for name, _ in public_classes()]
    assert {name for name in names if names.count(name) > 1} == TWINS


if __name__ == "__main__":
    ALL_MODULES.write_text(page_of_modules(), encoding="utf-8")
