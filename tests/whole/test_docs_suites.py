"""The documentation is true: its examples of suites and of other YAML can be loaded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final, cast

import pytest
import yaml
from documentation import BLOCKS, SUITES, Block

from grader.cli.suites import with_wording
from grader.judging.rules import KINDS
from grader.plugins.authoring.deriving.settings import load_settings
from grader.suite.loading import parse_hidden_suite, parse_suite

SUITE_HEAD: Final = {"exercise": "puzzle", "title": "Puzzle", "language": "en"}
"""What a part of a suite on a page leaves out, as YAML by key."""
ONE_MODULE: Final = {"module": "puzzle", "defines": "[Puzzle]"}
"""What it leaves out besides, unless it is about several modules."""


@pytest.mark.parametrize("block", SUITES, ids=str)
def test_suite_examples_load(block: Block, tmp_path: Path) -> None:
    """Every YAML example is a suite, the settings of one, or a part that fits into one."""
    data = yaml.safe_load(block.text)
    if isinstance(data, dict) and data.keys() >= {"exercise", "groups", "sessions"}:
        _load(block.text, tmp_path)
    elif isinstance(data, dict) and ("exercise" in data or data.keys() == {"accepts"}):
        path = tmp_path / "exercise.yaml"
        head = SUITE_HEAD if "modules" in data else {**SUITE_HEAD, **ONE_MODULE}
        missing = "".join(f"{key}: {value}\n" for key, value in head.items() if key not in data)
        path.write_text(missing + block.text, encoding="utf-8")
        load_settings(path)
    elif isinstance(data, dict) and data.keys() == {"equivalent"}:
        public = parse_suite(f"{HEAD_OF_ONE}{SESSION_OF_ONE}".encode(), "one.yaml", KINDS)
        text = f"exercise: one\n{SESSION_OF_ONE.replace('id: s', 'id: h')}{block.text}"
        assert parse_hidden_suite(text.encode(), "one.hidden.yaml", public).equivalent
    else:
        _load(_completed(block.text, data), tmp_path)


HEAD_OF_ONE: Final = """\
exercise: one
title: One
language: en
module: one
defines: [one]
groups: [{id: one, points: 1}]
"""
SESSION_OF_ONE: Final = "sessions: [{id: s, steps: [{do: one(), group: one}]}]\n"


def _load(suite: str, folder: Path) -> None:
    """Load `suite` as a file of `folder`, in which all code lies that it names."""
    data = yaml.safe_load(suite)
    for key in ("given", "checkers", "stand_ins"):
        for file in data.get(key, {}).values():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            stubs = ("covers", "is_fair", "is_way")
            text = "".join(f"def {name}(): ...\n" for name in stubs)
            (folder / file).write_text(text, encoding="utf-8")
    with_wording(parse_suite(suite.encode(), str(folder / "suite.yaml"), KINDS))


def _completed(text: str, data: object) -> str:
    """Return a suite with the part `text` of one in it; what the part says stands as it is."""
    if isinstance(data, list):
        steps = "".join(f"      {line}\n" for line in text.splitlines())
        text = f"sessions:\n  - id: s\n    steps:\n      - do: puzzle = Puzzle(4)\n{steps}"
    elif "sessions" not in cast(dict[str, Any], data):
        names = cast(dict[str, Any], data).get("defines", ["g"])
        steps = ", ".join(f"{{do: Puzzle(4), group: {name.rpartition('.')[2]}}}" for name in names)
        text += f"sessions: [{{id: s, steps: [{steps}]}}]\n"
    part = yaml.safe_load(text)
    groups = dict.fromkeys(_groups(part["sessions"]))
    listed = ", ".join(f"{{id: {group}, points: 1}}" for group in groups)
    missing = {**SUITE_HEAD, **({} if "modules" in part else ONE_MODULE), "groups": f"[{listed}]"}
    head = "".join(f"{key}: {value}\n" for key, value in missing.items() if key not in part)
    return head + text


def _groups(sessions: list[dict[str, Any]]) -> Iterator[str]:
    for step in chain.from_iterable(session["steps"] for session in sessions):
        if "group" in step:
            yield step["group"]


def test_hidden_suite_examples_load() -> None:
    """Every example of a hidden suite adds to the example of the public suite that it names."""
    public = {}
    for block in SUITES:
        data = yaml.safe_load(block.text)
        if isinstance(data, dict) and data.keys() >= {"exercise", "groups", "sessions"}:
            public[f"{data['exercise']}.hidden.yaml"] = block
    hidden = [block for block in BLOCKS if block.file.endswith(".hidden.yaml")]
    assert hidden
    for block in hidden:
        suite = parse_suite(public[block.file].text.encode(), "suite.yaml", KINDS)
        parse_hidden_suite(block.text.encode(), block.file, suite)


def test_other_yaml_is_yaml() -> None:
    """Examples for CI systems can at least be read."""
    others = [block for block in BLOCKS if block.language == "yaml" and block.file]
    assert others
    for block in others:
        assert all(yaml.safe_load_all(block.text))
