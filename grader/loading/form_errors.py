"""Says in the words of a suite what pydantic found wrong, at the place where it stands.

pydantic reports all errors at once, each with its path. The path leads to the node of the document,
and the node knows more than pydantic does: that `True` was written without quotes, for instance.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal, TypeAlias, get_args, get_origin

from pydantic_core import ErrorDetails

from grader.display import one_line
from grader.loading.board_forms import BoardForm, CellsForm
from grader.loading.diagnostics import Diagnostic
from grader.loading.document import Document, Node, NodePath
from grader.loading.fields import Form
from grader.loading.forms import (
    GroupForm,
    SessionForm,
    StepForm,
    SuiteForm,
    TilingForm,
)
from grader.loading.hidden_forms import (
    EquivalentForm,
    GeneratedForm,
    HiddenForm,
    HiddenSessionForm,
    SiblingForm,
)
from grader.loading.limit_forms import LimitsForm
from grader.loading.refusal import Refusal
from grader.loading.rule_forms import RULE_FORMS, RulesForm
from grader.loading.scalars import MISREAD, Kind, kind_of
from grader.loading.source import Place
from grader.loading.suggestions import did_you_mean, quoted

_SCALARS: Final = frozenset({Kind.BOOLEAN, Kind.INTEGER, Kind.NUMBER, Kind.NOTHING, Kind.DATE})
_WANTED: Final = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "literal_error": "text",
}
"""What pydantic wanted when it says that a type is wrong."""
_ALMOST: Final = {
    "int_type": {Kind.INTEGER},
    "float_type": {Kind.INTEGER, Kind.NUMBER},
    "bool_type": {Kind.BOOLEAN},
}
"""What is of the wanted kind after all when its spelling is the only thing wrong with it."""
_EXAMPLES: Final = {"a whole number": ", such as 10", "a number": ", such as 10 or 0.5"}
_ITEMS: Final = {
    "forbid": "the name of a construct",
    "made_by": "a function",
    "setup": "a step",
}
"""What a list has to hold where its key does not say so in the plural."""
_BOUNDS: Final = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}

_ANY: Final = "*"
"""Stands for the number of an item."""
_FORMS: Final[dict[tuple[str, ...], tuple[type[Form], str]]] = {
    ("groups", _ANY): (GroupForm, "a group"),
    ("sessions", _ANY): (SessionForm, "a session"),
    ("sessions", _ANY, "steps", _ANY): (StepForm, "a step"),
    ("sessions", _ANY, "steps", _ANY, "tiling"): (TilingForm, "a tiling"),
    ("siblings", _ANY): (SiblingForm, "a sibling"),
    ("siblings", _ANY, "steps", _ANY): (StepForm, "a step"),
    ("siblings", _ANY, "steps", _ANY, "tiling"): (TilingForm, "a tiling"),
    ("limits",): (LimitsForm, "limits"),
    ("board",): (BoardForm, "a board"),
    ("board", "cells"): (CellsForm, "cells"),
    ("rules",): (RulesForm, "rules"),
    ("generated",): (GeneratedForm, "generated"),
    ("equivalent", _ANY): (EquivalentForm, "an equivalent mutant"),
}
"""The forms of the parts of a suite, by where they stand, and what a message calls them."""

_Complaint: TypeAlias = tuple[Place, str, str | None]


def form_diagnostics(
    document: Document,
    errors: Iterable[ErrorDetails],
    form: type[SuiteForm | HiddenForm] = SuiteForm,
) -> list[Diagnostic]:
    """Return all that is wrong with `document`: its own problems, and the `errors` of its `form`.

    What follows from another mistake is left out: an alias is no text, of course, and what stands
    inside a mapping that should have been text matters no more.
    """
    reading, errors = _Reading(document, form), list(errors)
    diagnostics: list[Diagnostic] = []
    if form is SuiteForm:
        diagnostics += _handed_in_twice(document)
        errors = _with_missing_module(document, errors)
    misfits: set[NodePath] = set()
    for error in errors:
        path = _path(document, error)
        node = document.nodes[path[:-1] if error["type"] == "missing" else path]
        if node.kind is Kind.ALIAS:
            continue
        if error["type"] in _WANTED and node.kind in {Kind.LIST, Kind.MAPPING}:
            misfits.add(path)
        place, message, advice = _COMPLAINTS.get(error["type"], _other)(reading, path, error)
        diagnostics.append(document.source.diagnostic(place, message, advice))
    diagnostics += [
        problem
        for path, problem in document.problems
        if not any(path[:length] in misfits for length in range(len(path) + 1))
    ]
    return diagnostics


def _with_missing_module(document: Document, errors: list[ErrorDetails]) -> list[ErrorDetails]:
    """Return `errors`, in the order of the keys, with one about a suite that hands in nothing."""
    if not {"module", "modules"}.isdisjoint(document.keys_of(())):
        return errors
    keys = list(SuiteForm.model_fields)
    earlier = set(keys[: keys.index("module")])
    at = sum(error["loc"][0] in earlier for error in errors)
    missing = ErrorDetails(type="missing", loc=("module",), msg="", input=None)
    return [*errors[:at], missing, *errors[at:]]


def _handed_in_twice(document: Document) -> Iterator[Diagnostic]:
    """Report a suite that says what is handed in both as one module and as several."""
    if {"module", "modules"}.issubset(document.keys_of(())):
        place = document.key_place(("modules",))
        advice = "keep `module` if there is one, `modules` if there are several"
        yield document.source.diagnostic(place, "'module' is given already", advice)


def _path(document: Document, error: ErrorDetails) -> NodePath:
    loc = error["loc"]
    return loc[:-1] if _concerns_key(document, error) else loc


def _concerns_key(document: Document, error: ErrorDetails) -> bool:
    """Return whether a key of a dict is wrong: pydantic adds a step of its own to say so."""
    loc = error["loc"]
    return loc[-1:] == ("[key]",) and loc not in document.nodes


@dataclass(frozen=True, slots=True)
class _Reading:
    """A document, and the form that the whole of it has to follow."""

    document: Document
    form: type[SuiteForm | HiddenForm]

    def form_at(self, path: NodePath) -> tuple[type[Form], str]:
        """Return the form that the mapping at `path` must follow, and what a message calls it."""
        place = tuple(_ANY if isinstance(step, int) else step for step in path)
        match path:
            case ("rules", str(kind), _) if kind in RULE_FORMS:
                return RULE_FORMS[kind], f"a rule on {kind}"
            case ("sessions", _) if self.form is HiddenForm:
                return HiddenSessionForm, "a session"
            case _:
                whole = "a hidden suite" if self.form is HiddenForm else "a suite"
                return _FORMS.get(place, (self.form, whole))


def _called(path: NodePath) -> str:
    (*above, last) = path
    return quoted(last) if isinstance(last, str) else f"item {last + 1} of {quoted(str(above[-1]))}"


def _missing(reading: _Reading, path: NodePath, _error: ErrorDetails) -> _Complaint:
    form, what = reading.form_at(path[:-1])
    key = str(path[-1])
    (example, *_) = form.model_fields[key].examples or [""]
    is_text = isinstance(example, str) and kind_of(example) is Kind.TEXT
    shown = example if is_text else json.dumps(example, ensure_ascii=False)
    advice = f"add it, for example `{key}: {shown}`"
    return reading.document.top_of(path[:-1]), f"{what} needs the key {quoted(key)}", advice


def _unknown_key(reading: _Reading, path: NodePath, _error: ErrorDetails) -> _Complaint:
    form, what = reading.form_at(path[:-1])
    key, keys = str(path[-1]), form.model_fields
    message = f"unknown key {quoted(key)}{did_you_mean(key, keys)}"
    return reading.document.key_place(path), message, f"keys of {what}: {', '.join(keys)}"


def _wrong_type(reading: _Reading, path: NodePath, error: ErrorDetails) -> _Complaint:
    node, wanted = reading.document.nodes[path], _WANTED[error["type"]]
    place, written = node.place, one_line(node.text, 60)
    if node.kind is Kind.NOTHING and not node.text:
        # The parser puts what is not there after the colon, or even on the next line.
        message = f"nothing is given for {_called(path)}"
        return reading.document.key_place(path), message, "give it a value"
    if wanted == "text" and node.kind in _SCALARS:
        message = f"YAML reads `{written}` as {node.kind.value}"
        return place, message, f'write `"{written}"` in quotes'
    if error["input"] is MISREAD and node.kind in _ALMOST.get(error["type"], ()):
        message = f"not every reader of YAML takes `{written}` for {wanted}"
        return place, message, f"write {wanted}{_EXAMPLES.get(wanted, '')}"
    found = written if node.kind is Kind.NUMBER else node.kind.value
    return place, f"{_called(path)} must be {wanted}, not {found}", _retyping(node, wanted)


def _retyping(node: Node, wanted: str) -> str:
    """Return how to write what is at `node` so that it becomes what was `wanted`."""
    text = one_line(node.text, 60)
    match wanted:
        case "text" if text:
            return f"write `{json.dumps(text, ensure_ascii=False)}` in quotes"
        case "text":
            return "write it in quotes, or after a | with the text on the lines below"
        case "a list":
            return f"write `[{text}]`" if text else "begin each item with `- `"
        case "a mapping":
            return "write `key: value`, one below the other"
        case _:
            quotes = " without quotes" if node.style else ""
            return f"write {wanted}{quotes}{_EXAMPLES.get(wanted, '')}"


def _unknown_word(reading: _Reading, path: NodePath, error: ErrorDetails) -> _Complaint:
    node = reading.document.nodes[path]
    if node.kind is not Kind.TEXT:
        return _wrong_type(reading, path, error)
    form, _ = reading.form_at(path[:-1])
    words = tuple(_literals(form.model_fields[str(path[-1])].annotation))
    message = f"unknown {path[-1]} {quoted(node.text)}{did_you_mean(node.text, words)}"
    return node.place, message, f"write one of {', '.join(words)}"


def _literals(annotation: object) -> Iterator[str]:
    """Yield the words of the `Literal` that `annotation` is or has in it."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Literal:
        yield from arguments
    else:
        yield from chain.from_iterable(map(_literals, arguments))


def _out_of_bounds(reading: _Reading, path: NodePath, error: ErrorDetails) -> _Complaint:
    name, relation = _BOUNDS[error["type"]]
    bound = error["ctx"][name]
    message = f"{_called(path)} must be {relation} {bound:,.0f}"
    return reading.document.nodes[path].place, message, _described(reading, path)


def _not_finite(reading: _Reading, path: NodePath, _error: ErrorDetails) -> _Complaint:
    return (
        reading.document.nodes[path].place,
        f"{_called(path)} must be finite",
        _described(reading, path),
    )


def _described(reading: _Reading, path: NodePath) -> str:
    """Return what the key at `path` is for; of an item of a list, the key of the list."""
    if isinstance(path[-1], int):
        path = path[:-1]
    form, _ = reading.form_at(path[:-1])
    return form.model_fields[str(path[-1])].description or ""


def _too_short(reading: _Reading, path: NodePath, error: ErrorDetails) -> _Complaint:
    (*_, key) = path
    place, least = reading.document.key_place(path), error["ctx"]["min_length"]
    if least > 1:
        return place, f"{_called(path)} needs {least} items", _described(reading, path)
    what = _ITEMS.get(str(key), f"a {str(key).removesuffix('s')}")
    return place, f"{_called(path)} is empty", f"add {what}"


def _too_long(reading: _Reading, path: NodePath, error: ErrorDetails) -> _Complaint:
    most = error["ctx"]["max_length"]
    message = f"{_called(path)} has more than {most} item{'s' if most > 1 else ''}"
    return reading.document.key_place(path), message, _described(reading, path)


def _refused(reading: _Reading, path: NodePath, error: ErrorDetails) -> _Complaint:
    refusal = error["ctx"]["error"]
    assert isinstance(refusal, Refusal), "our checks raise nothing else"
    node = reading.document.nodes[path]
    if _concerns_key(reading.document, error):
        return reading.document.key_place(path), refusal.problem, refusal.advice
    place = node.place
    if refusal.width is not None:
        place = reading.document.place_in(path, refusal.offset, refusal.width)
    return place, refusal.problem, refusal.advice


def _other(reading: _Reading, path: NodePath, error: ErrorDetails) -> _Complaint:
    """Say what pydantic says: an error that this module has no words for yet."""
    return reading.document.nodes[path].place, f"{_called(path)}: {one_line(error['msg'])}", None


_COMPLAINTS: Final[dict[str, Callable[[_Reading, NodePath, ErrorDetails], _Complaint]]] = {
    "extra_forbidden": _unknown_key,
    "finite_number": _not_finite,
    "literal_error": _unknown_word,
    "missing": _missing,
    "too_long": _too_long,
    "too_short": _too_short,
    "value_error": _refused,
    **dict.fromkeys(_BOUNDS, _out_of_bounds),
    **dict.fromkeys(_WANTED.keys() - {"literal_error"}, _wrong_type),
}
