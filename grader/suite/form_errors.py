"""Translates pydantic's errors into diagnostics with the words and places of a suite.

pydantic reports all errors at once, each with its path. The path leads to the node of the document,
which has more information than pydantic: that `True` was written without quotes, for instance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, TypeVar, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from grader.suite.diagnostics import (
    Diagnostic,
    InvalidSuite,
    Position,
    Refusal,
    did_you_mean,
    quoted,
)
from grader.suite.document import MISREAD, Document, Node, NodeKind, NodePath, kind_of
from grader.suite.fields import Form, KeptAsWritten, annotations_of
from grader.suite.formats import refuse_earlier, refuse_newer
from grader.values.foreign_text import one_line

_F = TypeVar("_F", bound=Form)

_SCALARS: Final = frozenset(
    {NodeKind.BOOLEAN, NodeKind.INTEGER, NodeKind.NUMBER, NodeKind.NOTHING, NodeKind.DATE}
)
_EXPECTED_TYPES: Final = {
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
"""The wanted type, by pydantic's error type."""
_MISSPELT_KINDS: Final = {
    "int_type": {NodeKind.INTEGER},
    "float_type": {NodeKind.INTEGER, NodeKind.NUMBER},
    "bool_type": {NodeKind.BOOLEAN},
}
"""Kinds that are right except for their spelling, by pydantic's error type."""
_EXAMPLES: Final = {"a whole number": ", such as 10", "a number": ", such as 10 or 0.5"}
_ITEM_NAMES: Final = {
    "forbid": "the name of a construct",
    "made_by": "a function",
    "setup": "a step",
}
"""The items of lists whose key is not the plural of the item."""
_BOUNDS: Final = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}

_Complaint: TypeAlias = tuple[Position, str, str | None]


def validated(document: Document, form: type[_F], folder: Path | None = None) -> _F:
    """Return `document` as a `form`; code files that it names are read from `folder`.

    Raises `InvalidSuite` with all mistakes within parts, or only with advice if the file has
    another format.
    """
    # First, as errors about keys of a newer format would mislead.
    refuse_newer(document)
    errors: list[ErrorDetails] = []
    whole = None
    try:
        whole = form.checked(document.data, _context(document.data, folder))
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False)
        refuse_earlier(document, errors)
    diagnostics = form_diagnostics(document, errors, form)
    if whole is None or diagnostics:
        raise InvalidSuite(document.source.name, diagnostics)
    return whole


def _context(data: object, folder: Path | None) -> Mapping[str, object]:
    """Return where named code comes from: files packed in `data`, and the `folder`."""
    match data:
        case {"packed": dict(packed)}:
            texts = {file: text for file, text in packed.items() if isinstance(text, str)}
            return {"folder": folder, "packed": texts}
        case _:
            return {"folder": folder}


def form_diagnostics(
    document: Document, errors: Iterable[ErrorDetails], form: type[Form]
) -> list[Diagnostic]:
    """Return all diagnostics of `document`: its own problems, and the `errors` of its `form`.

    Consequences of other mistakes are left out: an alias, already reported, is of course not text,
    and problems inside a mapping that should have been text do not matter.
    """
    errors = [error for error in errors if not _is_consequence(error)]
    diagnostics: list[Diagnostic] = []
    source = document.source
    if {"module", "modules"} <= form.form_keys.keys():
        given = {"module", "modules"}.intersection(document.keys_of(()))
        if not given:
            errors = _with_missing_module(errors, form)
        elif len(given) > 1:
            place = document.key_place(("modules",))
            advice = "keep `module` if there is one, `modules` if there are several"
            diagnostics.append(source.diagnostic(place, "'module' is given already", advice))
    misfits: set[NodePath] = set()
    for error in errors:
        # pydantic marks an error in the key of a mapping by a last step "[key]".
        concerns_key = error["loc"][-1:] == ("[key]",) and not document.has(error["loc"])
        mistake = _Mistake(document, form, error, error["loc"][: -1 if concerns_key else None])
        node = document.node(mistake.path[:-1]) if error["type"] == "missing" else mistake.node
        # The parser has reported the alias.
        if node.kind is NodeKind.ALIAS:
            continue
        if error["type"] in _EXPECTED_TYPES and node.kind in {NodeKind.LIST, NodeKind.MAPPING}:
            # Problems inside it are consequences, and dropped below.
            misfits.add(mistake.path)
        complain = _COMPLAINTS.get(error["type"], _Mistake.other)
        diagnostics.append(source.diagnostic(*complain(mistake)))
    diagnostics += [
        problem
        for path, problem in document.problems
        if not any(path[:length] in misfits for length in range(len(path) + 1))
    ]
    return diagnostics


def _is_consequence(error: ErrorDetails) -> bool:
    """Return whether `error` is only a consequence of others.

    pydantic calls a tuple too short if some of its items are wrong.
    """
    if error["type"] == "too_short":
        return bool(len(error["input"]) >= error["ctx"]["min_length"])
    return error["type"] == "default_factory_not_called"  # its default derives from a wrong key


def _with_missing_module(errors: list[ErrorDetails], form: type[Form]) -> list[ErrorDetails]:
    """Return `errors`, with one about the missing `module` inserted in the order of keys."""
    keys = list(form.form_keys)
    earlier = set(keys[: keys.index("module")])
    index = sum(error["loc"][0] in earlier for error in errors)
    missing = ErrorDetails(type="missing", loc=("module",), msg="", input=None)
    return [*errors[:index], missing, *errors[index:]]


def _forms_in(annotation: object) -> Iterator[type[Form]]:
    """Yield the forms inside the type `annotation`."""
    if isinstance(annotation, KeptAsWritten):
        yield annotation.form
    elif isinstance(annotation, type) and issubclass(annotation, Form):
        yield annotation
    else:
        for each in get_args(annotation):
            yield from _forms_in(each)


@dataclass(frozen=True, slots=True)
class _Mistake:
    """A pydantic error, and the node it concerns."""

    document: Document
    whole: type[Form]
    """The form of the whole document."""
    error: ErrorDetails
    path: NodePath

    @property
    def node(self) -> Node:
        return self.document.node(self.path)

    @property
    def key_place(self) -> Position:
        return self.document.key_place(self.path)

    @property
    def form(self) -> type[Form]:
        """The form of the mapping around the node."""
        form = self.whole
        for step in self.path[:-1]:
            if str(step) in form.form_keys:
                form = next(_forms_in(annotations_of(form)[str(step)]), form)
        return form

    @property
    def called(self) -> str:
        (*above, last) = self.path
        return (
            quoted(last)
            if isinstance(last, str)
            else f"item {last + 1} of {quoted(str(above[-1]))}"
        )

    @property
    def key(self) -> str:
        """The key concerned; for an item of a list, the list's key."""
        return next(step for step in reversed(self.path) if isinstance(step, str))

    @property
    def described(self) -> str:
        """The description of the key."""
        return self.form.form_keys[self.key].description

    def missing(self) -> _Complaint:
        key = str(self.path[-1])
        (example, *_) = self.form.form_keys[key].examples or [""]
        is_text = isinstance(example, str) and kind_of(example) is NodeKind.TEXT
        shown = example if is_text else json.dumps(example, ensure_ascii=False)
        place = self.document.top_of(self.path[:-1])
        return (
            place,
            f"{self.form.called} needs the key {quoted(key)}",
            f"add it, for example `{key}: {shown}`",
        )

    def unknown_key(self) -> _Complaint:
        key, keys = str(self.path[-1]), self.form.form_keys
        message = f"unknown key {quoted(key)}{did_you_mean(key, keys)}"
        return self.key_place, message, f"keys of {self.form.called}: {', '.join(keys)}"

    def wrong_type(self) -> _Complaint:
        node, wanted = self.node, _EXPECTED_TYPES[self.error["type"]]
        written = one_line(node.text, 60)
        if node.kind is NodeKind.NOTHING and not node.text:
            # The parser places a missing value after the colon, or even on the next line.
            return self.key_place, f"nothing is given for {self.called}", "give it a value"
        if wanted == "text" and node.kind in _SCALARS:
            message = f"YAML reads `{written}` as {node.kind.value}"
            return node.place, message, f'write `"{written}"` in quotes'
        if self.error["input"] is MISREAD and node.kind in _MISSPELT_KINDS.get(
            self.error["type"], ()
        ):
            message = f"not every reader of YAML takes `{written}` for {wanted}"
            return node.place, message, f"write {wanted}{_EXAMPLES.get(wanted, '')}"
        actual = written if node.kind is NodeKind.NUMBER else node.kind.value
        message = f"{self.called} must be {wanted}, not {actual}"
        return node.place, message, _advice_on_type(node, wanted)

    def unknown_word(self) -> _Complaint:
        node = self.node
        if node.kind is not NodeKind.TEXT:
            return self.wrong_type()
        # pydantic gives the allowed words only as text: "'a', 'b' or 'c'".
        words = re.findall(r"'([^']+)'", self.error["ctx"]["expected"])
        message = f"unknown {self.key} {quoted(node.text)}{did_you_mean(node.text, words)}"
        return node.place, message, f"write one of {', '.join(words)}"

    def out_of_bounds(self) -> _Complaint:
        name, relation = _BOUNDS[self.error["type"]]
        message = f"{self.called} must be {relation} {self.error['ctx'][name]:,.0f}"
        return self.node.place, message, self.described

    def not_finite(self) -> _Complaint:
        return self.node.place, f"{self.called} must be finite", self.described

    def too_short(self) -> _Complaint:
        least = self.error["ctx"]["min_length"]
        if least > 1:
            return self.key_place, f"{self.called} needs {least} items", self.described
        key = str(self.path[-1])
        what = _ITEM_NAMES.get(key, f"a {key.removesuffix('s')}")
        return self.key_place, f"{self.called} is empty", f"add {what}"

    def too_long(self) -> _Complaint:
        most = self.error["ctx"]["max_length"]
        message = f"{self.called} has more than {most} item{'s' if most > 1 else ''}"
        return self.key_place, message, self.described

    def refused(self) -> _Complaint:
        refusal = self.error["ctx"]["error"]
        assert isinstance(refusal, Refusal), "our checks raise nothing else"
        place = self.node.place
        if self.path != self.error["loc"]:
            place = self.key_place
        elif refusal.width is not None:
            place = self.document.place_in(self.path, refusal.offset, refusal.width)
        return place, refusal.problem, refusal.advice

    def other(self) -> _Complaint:
        """Return pydantic's message, for error types without their own method."""
        return self.node.place, f"{self.called}: {one_line(self.error['msg'])}", None


def _advice_on_type(node: Node, wanted: str) -> str:
    """Return advice on how to write the value at `node` as the `wanted` type."""
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


_COMPLAINTS: Final[dict[str, Callable[[_Mistake], _Complaint]]] = {
    "extra_forbidden": _Mistake.unknown_key,
    "finite_number": _Mistake.not_finite,
    "literal_error": _Mistake.unknown_word,
    "missing": _Mistake.missing,
    "too_long": _Mistake.too_long,
    "too_short": _Mistake.too_short,
    "value_error": _Mistake.refused,
    **dict.fromkeys(_BOUNDS, _Mistake.out_of_bounds),
    **dict.fromkeys(_EXPECTED_TYPES.keys() - {"literal_error"}, _Mistake.wrong_type),
}
