"""Says in the words of a suite what pydantic found wrong, at the place where it stands.

pydantic reports all errors at once, each with its path. The path leads to the node of the document,
and the node knows more than pydantic does: that `True` was written without quotes, for instance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    TypeAlias,
    TypeGuard,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from grader.suite.diagnostics import Diagnostic, InvalidSuite, Place, Refusal, did_you_mean, quoted
from grader.suite.document import MISREAD, Document, Kind, Node, NodePath, kind_of
from grader.suite.fields import Form, KeptAsWritten
from grader.values.display import one_line

_F = TypeVar("_F", bound=Form)

_SCALARS: Final = frozenset({Kind.BOOLEAN, Kind.INTEGER, Kind.NUMBER, Kind.NOTHING, Kind.DATE})
_WANTED: Final = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
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

_Complaint: TypeAlias = tuple[Place, str, str | None]


def validated(document: Document, form: type[_F], folder: Path | None = None) -> _F:
    """Return what `document` holds, as a `form`; code that it names is read from `folder`.

    Raises `InvalidSuite` with all that is wrong with each part by itself.
    """
    errors: list[ErrorDetails] = []
    whole = None
    try:
        whole = form.model_validate(document.data, context={"folder": folder})
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False)
    diagnostics = form_diagnostics(document, errors, form)
    if whole is None or diagnostics:
        raise InvalidSuite(document.source.name, diagnostics)
    return whole


def form_diagnostics(
    document: Document, errors: Iterable[ErrorDetails], form: type[Form]
) -> list[Diagnostic]:
    """Return all that is wrong with `document`: its own problems, and the `errors` of its `form`.

    What follows from another mistake is left out: an alias is no text, of course, and what stands
    inside a mapping that should have been text matters no more.
    """
    reading = _Reading(document, form)
    errors = [error for error in errors if not _only_follows(error)]
    diagnostics: list[Diagnostic] = []
    if {"module", "modules"} <= form.model_fields.keys():
        diagnostics += _handed_in_twice(document)
        errors = _with_missing_module(document, errors, form)
    misfits: set[NodePath] = set()
    for error in errors:
        path = _path(document, error)
        node = document.node(path[:-1] if error["type"] == "missing" else path)
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


def _only_follows(error: ErrorDetails) -> bool:
    """Return whether an error says no more than that there are others.

    A tuple is too short for pydantic when some of its items are wrong.
    """
    if error["type"] == "too_short":
        return bool(len(error["input"]) >= error["ctx"]["min_length"])
    return error["type"] == "default_factory_not_called"


def _with_missing_module(
    document: Document, errors: list[ErrorDetails], form: type[Form]
) -> list[ErrorDetails]:
    """Return `errors`, in the order of the keys, with one about a suite that hands in nothing."""
    if not {"module", "modules"}.isdisjoint(document.keys_of(())):
        return errors
    keys = list(form.model_fields)
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
    return loc[-1:] == ("[key]",) and not document.has(loc)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A document, and the form that the whole of it has to follow."""

    document: Document
    form: type[Form]

    def form_at(self, path: NodePath) -> type[Form]:
        """Return the form that the mapping at `path` must follow."""
        annotation: object = self.form
        for step in path:
            annotation = next(_inside(annotation, step))
        return next(each for each in _alternatives(annotation) if _is_form(each))


def _inside(annotation: object, step: str | int) -> Iterator[object]:
    """Yield what may stand at `step` of a value of the type `annotation`."""
    for each in _alternatives(annotation):
        if _is_form(each):
            field = each.model_fields[str(step)]
            yield Annotated[field.annotation, *field.metadata, field]
        elif get_origin(each) in {list, tuple, dict}:
            yield get_args(each)[isinstance(step, str)]


def _alternatives(annotation: object) -> Iterator[Any]:
    """Yield the types that `annotation` allows."""
    if get_origin(annotation) is Annotated:
        kept = [each.form for each in get_args(annotation) if isinstance(each, KeptAsWritten)]
        yield from kept or _alternatives(get_args(annotation)[0])
    elif get_origin(annotation) in {Union, UnionType}:
        for each in get_args(annotation):
            yield from _alternatives(each)
    else:
        yield annotation


def _is_form(annotation: object) -> TypeGuard[type[Form]]:
    return isinstance(annotation, type) and issubclass(annotation, Form)


def _called(path: NodePath) -> str:
    (*above, last) = path
    return quoted(last) if isinstance(last, str) else f"item {last + 1} of {quoted(str(above[-1]))}"


def _missing(reading: _Reading, path: NodePath, _error: ErrorDetails) -> _Complaint:
    form = reading.form_at(path[:-1])
    key = str(path[-1])
    (example, *_) = form.model_fields[key].examples or [""]
    is_text = isinstance(example, str) and kind_of(example) is Kind.TEXT
    shown = example if is_text else json.dumps(example, ensure_ascii=False)
    advice = f"add it, for example `{key}: {shown}`"
    return reading.document.top_of(path[:-1]), f"{form.called} needs the key {quoted(key)}", advice


def _unknown_key(reading: _Reading, path: NodePath, _error: ErrorDetails) -> _Complaint:
    form = reading.form_at(path[:-1])
    key, keys = str(path[-1]), form.model_fields
    message = f"unknown key {quoted(key)}{did_you_mean(key, keys)}"
    return reading.document.key_place(path), message, f"keys of {form.called}: {', '.join(keys)}"


def _wrong_type(reading: _Reading, path: NodePath, error: ErrorDetails) -> _Complaint:
    node, wanted = reading.document.node(path), _WANTED[error["type"]]
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
    node = reading.document.node(path)
    if node.kind is not Kind.TEXT:
        return _wrong_type(reading, path, error)
    words = re.findall(r"'([^']+)'", error["ctx"]["expected"])
    message = f"unknown {path[-1]} {quoted(node.text)}{did_you_mean(node.text, words)}"
    return node.place, message, f"write one of {', '.join(words)}"


def _out_of_bounds(reading: _Reading, path: NodePath, error: ErrorDetails) -> _Complaint:
    name, relation = _BOUNDS[error["type"]]
    bound = error["ctx"][name]
    message = f"{_called(path)} must be {relation} {bound:,.0f}"
    return reading.document.node(path).place, message, _described(reading, path)


def _not_finite(reading: _Reading, path: NodePath, _error: ErrorDetails) -> _Complaint:
    return (
        reading.document.node(path).place,
        f"{_called(path)} must be finite",
        _described(reading, path),
    )


def _described(reading: _Reading, path: NodePath) -> str:
    """Return what the key at `path` is for; of an item of a list, the key of the list."""
    if isinstance(path[-1], int):
        path = path[:-1]
    form = reading.form_at(path[:-1])
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
    node = reading.document.node(path)
    if _concerns_key(reading.document, error):
        return reading.document.key_place(path), refusal.problem, refusal.advice
    place = node.place
    if refusal.width is not None:
        place = reading.document.place_in(path, refusal.offset, refusal.width)
    return place, refusal.problem, refusal.advice


def _other(reading: _Reading, path: NodePath, error: ErrorDetails) -> _Complaint:
    """Say what pydantic says: an error that this module has no words for yet."""
    return reading.document.node(path).place, f"{_called(path)}: {one_line(error['msg'])}", None


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
