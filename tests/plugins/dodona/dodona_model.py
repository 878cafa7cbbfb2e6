"""What Dodona takes from a judge, as a model of our own: commands, their keys, how they nest.

It is drawn up from the schema of Dodona for the partial output of a judge (`partial_output.json`),
and is narrower: what that leaves open, such as keys it does not know, is refused here.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

LEVELS: Final = ("judgement", "tab", "context", "testcase", "test")
ENUMS: Final = frozenset(
    {"internal error", "compilation error", "memory limit exceeded", "time limit exceeded"}
    | {"output limit exceeded", "runtime error", "wrong", "correct"}
)
FORMATS: Final = frozenset({"plain", "html", "python"})
_REQUIRED: Final[dict[str, set[str]]] = {
    "start-judgement": set(),
    "start-tab": {"title"},
    "start-context": set(),
    "start-testcase": {"description"},
    "start-test": {"expected"},
    "append-message": {"message"},
    "annotate-code": {"row", "text"},
    "close-test": {"generated", "status"},
    "close-testcase": set(),
    "close-context": set(),
    "close-tab": set(),
    "close-judgement": {"accepted", "status"},
}
_OPTIONAL: Final[dict[str, set[str]]] = {
    "start-context": {"description"},
    "annotate-code": {"type"},
    "close-test": {"accepted"},
    "close-testcase": {"accepted"},
    "close-context": {"accepted"},
}
_BETWEEN: Final = re.compile(r"(?<=})\s*(?={)")
"""Where Dodona takes apart what it has read, before it reads it as JSON."""


def judgement_of(printed: str) -> list[dict[str, Any]]:
    """Return the commands of one whole judgement; fails where Dodona would not take it."""
    pieces = _BETWEEN.split(printed)
    commands = [json.loads(piece) for piece in pieces]
    assert printed.isascii()
    assert [json.loads(line) for line in printed.splitlines()] == commands
    is_open: list[str] = []
    for number, command in enumerate(commands):
        assert number == 0 or is_open, "nothing comes after the judgement"
        _check(command)
        verb, _, level = command["command"].partition("-")
        if verb == "start":
            assert LEVELS[len(is_open)] == level
            is_open.append(level)
        elif verb == "close":
            assert level == is_open.pop()
    assert is_open == []
    return commands


def _check(command: dict[str, Any]) -> None:
    """Fail where a command has keys or values that Dodona does not know."""
    name, keys = command["command"], set(command) - {"command"}
    assert _REQUIRED[name] <= keys <= _REQUIRED[name] | _OPTIONAL.get(name, set())
    for key, value in command.items():
        match key:
            case "message":
                _check_message(value)
            case "description":
                _check_message(value)
            case "status":
                assert {"enum", "human"} == set(value)
                assert value["enum"] in ENUMS
                assert value["human"]
            case "accepted":
                assert isinstance(value, bool)
            case "row":
                assert isinstance(value, int)
                assert value >= 0
            case "type":
                assert "error" == value
            case _:
                assert isinstance(value, str)
                value.encode()


def _check_message(message: dict[str, Any]) -> None:
    assert {"format", "description"} <= set(message) <= {"format", "description", "permission"}
    assert message["format"] in FORMATS
    assert message.get("permission") in {None, "staff"}
    message["description"].encode()


def read_by_students(commands: list[dict[str, Any]]) -> str:
    """Return all that students read."""
    shown = [
        command for command in commands if command.get("message", {}).get("permission") is None
    ]
    return json.dumps(shown, ensure_ascii=False)
