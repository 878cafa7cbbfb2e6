"""Translates pydantic's errors into diagnostics with the terms and positions of a suite.

pydantic reports all errors at once, each with its path. The path leads to a node of the document,
which has more information than pydantic, such as that `True` was written without quotes.
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
    quote,
)
from grader.suite.document import MISREAD, Document, Node, NodeKind, NodePath, kind_of
from grader.suite.fields import Form, KeptAsWritten
from grader.suite.form_models import form_annotations
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
"""The required type, keyed by pydantic's error type."""
_MISSPELT_KINDS: Final = {
    "int_type": {NodeKind.INTEGER},
    "float_type": {NodeKind.INTEGER, NodeKind.NUMBER},
    "bool_type": {NodeKind.BOOLEAN},
}
"""Kinds of nodes that are right except for their spelling, keyed by pydantic's error type."""
_EXAMPLES: Final = {"a whole number": ", such as 10", "a number": ", such as 10 or 0.5"}
_ITEM_NAMES: Final = {
    "forbid": "the name of a construct",
    "made_by": "a function",
    "setup": "a step",
}
"""Names for the items of lists whose key is not the plural of the item, keyed by that key."""
_BOUNDS: Final = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}

_Complaint: TypeAlias = tuple[Position, str, str | None]
"""The position, the message and the advice of a diagnostic."""


def validate_document(document: Document, form: type[_F], folder: Path | None = None) -> _F:
    """Validate `document` and return it as a `form`.

    Code files that it names are read from `folder`. Raises `InvalidSuite` with every mistake in the
    document's parts, or with only one if the file has another format that explains the mistakes.
    """
    # Checked first, as errors about keys of a newer format would be misleading.
    refuse_newer(document)
    errors: list[ErrorDetails] = []
    validated = None
    try:
        validated = form.validate(document.data, _context(document.data, folder))
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False)
        refuse_earlier(document, errors)
    diagnostics = form_diagnostics(document, errors, form)
    if validated is None or diagnostics:
        raise InvalidSuite(document.source.name, diagnostics)
    return validated


def _context(data: object, folder: Path | None) -> Mapping[str, object]:
    """Return the context for validators, with the folder of code files and the packed files."""
    match data:
        case {"packed": dict(packed)}:
            texts = {file: text for file, text in packed.items() if isinstance(text, str)}
            return {"folder": folder, "packed": texts}
        case _:
            return {"folder": folder}


def form_diagnostics(
    document: Document, errors: Iterable[ErrorDetails], form: type[Form]
) -> list[Diagnostic]:
    """Return all diagnostics for `document`, from its own problems and the `errors` in its `form`.

    Consequences of other mistakes are left out. For example, an alias is reported only once,
    although it is also of the wrong type, and problems inside a mapping that should be text do
    not matter.
    """
    errors = [error for error in errors if not _is_consequence(error)]
    diagnostics: list[Diagnostic] = []
    source = document.source
    # pydantic requires neither of the two keys, as only one of them can be given.
    if {"module", "modules"} <= form.form_keys.keys():
        module_keys = {"module", "modules"}.intersection(document.keys_at(()))
        if not module_keys:
            errors = _add_missing_module(errors, form)
        elif len(module_keys) > 1:
            position = document.key_position(("modules",))
            advice = "keep `module` if there is one, `modules` if there are several"
            diagnostics.append(source.diagnostic(position, "'module' is given already", advice))
    misfit_paths: set[NodePath] = set()
    for error in errors:
        # pydantic marks an error in the key of a mapping with a final step "[key]".
        concerns_key = error["loc"][-1:] == ("[key]",) and not document.has(error["loc"])
        mistake = _Mistake(document, form, error, error["loc"][: -1 if concerns_key else None])
        node = document.node(mistake.path[:-1]) if error["type"] == "missing" else mistake.node
        # The alias has already been reported.
        if node.kind is NodeKind.ALIAS:
            continue
        if error["type"] in _EXPECTED_TYPES and node.kind in {NodeKind.LIST, NodeKind.MAPPING}:
            # Problems inside it are consequences, which are dropped below.
            misfit_paths.add(mistake.path)
        complain = _COMPLAINTS.get(error["type"], _Mistake.other_error)
        diagnostics.append(source.diagnostic(*complain(mistake)))
    diagnostics += [
        problem
        for path, problem in document.problems
        if not any(path[:length] in misfit_paths for length in range(len(path) + 1))
    ]
    return diagnostics


def _is_consequence(error: ErrorDetails) -> bool:
    """Return whether `error` is only a consequence of other errors.

    For example, pydantic reports a tuple as too short if some of its items are wrong.
    """
    if error["type"] == "too_short":
        return bool(len(error["input"]) >= error["ctx"]["min_length"])
    # The default would have been derived from another key, which is wrong.
    return error["type"] == "default_factory_not_called"


def _add_missing_module(errors: list[ErrorDetails], form: type[Form]) -> list[ErrorDetails]:
    """Return `errors` with one about the missing `module` inserted, in the order of the keys."""
    keys = list(form.form_keys)
    earlier = set(keys[: keys.index("module")])
    index = sum(error["loc"][0] in earlier for error in errors)
    missing = ErrorDetails(type="missing", loc=("module",), msg="", input=None)
    return [*errors[:index], missing, *errors[index:]]


def _forms_in(annotation: object) -> Iterator[type[Form]]:
    """Yield the form classes inside the type `annotation`."""
    if isinstance(annotation, KeptAsWritten):
        yield annotation.form
    elif isinstance(annotation, type) and issubclass(annotation, Form):
        yield annotation
    else:
        for argument in get_args(annotation):
            yield from _forms_in(argument)


@dataclass(frozen=True, slots=True)
class _Mistake:
    """A pydantic error and its path, with a method for each kind of error.

    The methods return the complaint, which is what the diagnostic says.
    """

    document: Document
    document_form: type[Form]
    """The form of the whole document."""
    error: ErrorDetails
    path: NodePath

    @property
    def node(self) -> Node:
        return self.document.node(self.path)

    @property
    def key_position(self) -> Position:
        return self.document.key_position(self.path)

    @property
    def form(self) -> type[Form]:
        """The form of the mapping around the node."""
        form = self.document_form
        for step in self.path[:-1]:
            if str(step) in form.form_keys:
                form = next(_forms_in(form_annotations(form)[str(step)]), form)
        return form

    @property
    def label(self) -> str:
        """The name of the node in messages."""
        last = self.path[-1]
        if isinstance(last, str):
            return quote(last)
        return f"item {last + 1} of {quote(str(self.path[-2]))}"

    @property
    def key(self) -> str:
        """The key of the node, or the key of the list if the node is an item of a list."""
        return next(step for step in reversed(self.path) if isinstance(step, str))

    @property
    def description(self) -> str:
        """The description of the key."""
        return self.form.form_keys[self.key].description

    def missing(self) -> _Complaint:
        """Return the complaint about a required key that is missing."""
        key = str(self.path[-1])
        (example, *_) = self.form.form_keys[key].examples or [""]
        is_text = isinstance(example, str) and kind_of(example) is NodeKind.TEXT
        example_yaml = example if is_text else json.dumps(example, ensure_ascii=False)
        # A missing key has no position of its own.
        position = self.document.first_key_position(self.path[:-1])
        return (
            position,
            f"{self.form.form_name} needs the key {quote(key)}",
            f"add it, for example `{key}: {example_yaml}`",
        )

    def unknown_key(self) -> _Complaint:
        """Return the complaint about a key that the form does not have."""
        key, keys = str(self.path[-1]), self.form.form_keys
        message = f"unknown key {quote(key)}{did_you_mean(key, keys)}"
        return self.key_position, message, f"keys of {self.form.form_name}: {', '.join(keys)}"

    def wrong_type(self) -> _Complaint:
        """Return the complaint about a value of the wrong type, or in an ambiguous spelling."""
        node, wanted = self.node, _EXPECTED_TYPES[self.error["type"]]
        written = one_line(node.text, 60)
        if node.kind is NodeKind.NOTHING and not node.text:
            # The parser puts a missing value after the colon, or even on the next line.
            return self.key_position, f"nothing is given for {self.label}", "give it a value"
        if wanted == "text" and node.kind in _SCALARS:
            message = f"YAML reads `{written}` as {node.kind.value}"
            return node.position, message, f'write `"{written}"` in quotes'
        if self.error["input"] is MISREAD and node.kind in _MISSPELT_KINDS.get(
            self.error["type"], ()
        ):
            message = f"not every YAML reader reads `{written}` as {wanted}"
            return node.position, message, f"write {wanted}{_EXAMPLES.get(wanted, '')}"
        actual = written if node.kind is NodeKind.NUMBER else node.kind.value
        message = f"{self.label} must be {wanted}, not {actual}"
        return node.position, message, _advice_on_type(node, wanted)

    def unknown_word(self) -> _Complaint:
        """Return the complaint about text that is not one of the allowed words."""
        node = self.node
        if node.kind is not NodeKind.TEXT:
            return self.wrong_type()
        # pydantic has the allowed words only in a string such as "'a', 'b' or 'c'".
        words = re.findall(r"'([^']+)'", self.error["ctx"]["expected"])
        message = f"unknown {self.key} {quote(node.text)}{did_you_mean(node.text, words)}"
        return node.position, message, f"write one of {', '.join(words)}"

    def out_of_bounds(self) -> _Complaint:
        name, relation = _BOUNDS[self.error["type"]]
        message = f"{self.label} must be {relation} {self.error['ctx'][name]:,.0f}"
        return self.node.position, message, self.description

    def not_finite(self) -> _Complaint:
        return self.node.position, f"{self.label} must be finite", self.description

    def too_short(self) -> _Complaint:
        """Return the complaint about a list with too few items."""
        minimum = self.error["ctx"]["min_length"]
        if minimum > 1:
            return self.key_position, f"{self.label} needs {minimum} items", self.description
        key = str(self.path[-1])
        item_name = _ITEM_NAMES.get(key, f"a {key.removesuffix('s')}")
        return self.key_position, f"{self.label} is empty", f"add {item_name}"

    def too_long(self) -> _Complaint:
        """Return the complaint about a list with too many items."""
        limit = self.error["ctx"]["max_length"]
        message = f"{self.label} has more than {limit} item{'s' if limit > 1 else ''}"
        return self.key_position, message, self.description

    def refusal(self) -> _Complaint:
        """Return the complaint about text that a parser refused."""
        refusal = self.error["ctx"]["error"]
        assert isinstance(refusal, Refusal), "validators raise no other ValueError"
        position = self.node.position
        # The path is shorter than pydantic's for an error in a key.
        if self.path != self.error["loc"]:
            position = self.key_position
        elif refusal.width is not None:
            position = self.document.text_position(self.path, refusal.offset, refusal.width)
        return position, refusal.problem, refusal.advice

    def other_error(self) -> _Complaint:
        """Return the complaint in pydantic's words, for error types without their own method."""
        return self.node.position, f"{self.label}: {one_line(self.error['msg'])}", None


def _advice_on_type(node: Node, wanted: str) -> str:
    """Return advice on how to write the value of `node` as the `wanted` type."""
    text = one_line(node.text, 60)
    match wanted:
        case "text" if text:
            return f"write `{json.dumps(text, ensure_ascii=False)}` in quotes"
        case "text":
            return "write it in quotes, or after a | with the text on the lines below"
        case "a list":
            return f"write `[{text}]`" if text else "begin each item with `- `"
        case "a mapping":
            return "write `key: value`, each key on its own line"
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
    "value_error": _Mistake.refusal,
    **dict.fromkeys(_BOUNDS, _Mistake.out_of_bounds),
    **dict.fromkeys(_EXPECTED_TYPES.keys() - {"literal_error"}, _Mistake.wrong_type),
}
