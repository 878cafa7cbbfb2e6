"""Annotations for pydantic that do not import it.

Importing pydantic takes longer than checking one file, so these classes import it only when a value
is validated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core.core_schema import CoreSchema


class Bounded:
    """Constraints on the size or form of a value, named as in pydantic's core schemas."""

    def __init__(self, **bounds: Any) -> None:
        """Require values to be within the `bounds`, such as `ge` and `max_length`."""
        self.bounds = bounds

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema of the type with the bounds added."""
        return cast("CoreSchema", {**handler(source), **self.bounds})


class SchemaNotes:
    """Annotations of a value in the JSON Schema, which editors read; they validate nothing."""

    def __init__(self, **notes: Any) -> None:
        """Add `notes` to the value's JSON Schema."""
        self._notes = notes

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the JSON Schema of the type with the notes added."""
        return {**handler(schema), **self._notes}


class ParsedBy:
    """Validation of a value by a function that returns it converted or raises `ValueError`."""

    def __init__(
        self,
        parse: Callable[..., object],
        *,
        replaces_validation: bool = False,
        with_info: bool = False,
    ) -> None:
        """Validate with `parse`, after pydantic's own validation.

        If `replaces_validation`, `parse` is used instead of that validation. If `with_info`, it
        receives pydantic's validation info as a second argument.
        """
        self.parse = parse
        self.replaces_validation = replaces_validation
        self.takes_info = with_info

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema that calls `parse`."""
        from pydantic_core import core_schema  # noqa: PLC0415 - see the module docstring

        kind = "plain" if self.replaces_validation else "after"
        info = "with_info" if self.takes_info else "no_info"
        make = getattr(core_schema, f"{info}_{kind}_validator_function")
        schema: CoreSchema = make(
            self.parse, *([] if self.replaces_validation else [handler(source)])
        )
        return schema
