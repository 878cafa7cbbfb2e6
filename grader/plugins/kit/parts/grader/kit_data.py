"""Reads the suite that is in a kit; `grader.plugins.kit.data` has written it."""

import importlib


def decoded(data):
    """Return what `data`, from JSON, stands for."""
    if not isinstance(data, list):
        return data
    kind, content = data
    return _KINDS[kind](content)


def _class(name):
    module, _, cls = name.partition(":")
    return getattr(importlib.import_module(module), cls)


def _object(content):
    name, fields = content
    made = object.__new__(_class(name))
    for field, value in fields.items():
        object.__setattr__(made, field, decoded(value))
    return made


_KINDS = {
    "float": float,
    "tuple": lambda content: tuple(map(decoded, content)),
    "list": lambda content: list(map(decoded, content)),
    "frozenset": lambda content: frozenset(map(decoded, content)),
    "dict": lambda content: {decoded(key): decoded(value) for key, value in content},
    "enum": lambda content: _class(content[0])(content[1]),
    "object": _object,
}
