"""Annotations for pydantic that do not import it.

Importing pydantic takes longer than checking one file. These import it only when a value is
validated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core.core_schema import CoreSchema


class Bounded:
    """Bounds on a value's size or form, named as in pydantic's core schemas."""

    def __init__(self, **bounds: Any) -> None:
        """Require values to be within the `bounds`, such as `ge` and `max_length`."""
        self.bounds = bounds

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema of the type, with the bounds."""
        return cast("CoreSchema", {**handler(source), **self.bounds})


class Noted:
    """Notes on a value for the JSON Schema, which editors read; they validate nothing."""

    def __init__(self, **notes: Any) -> None:
        """Keep the `notes` to add to the JSON Schema."""
        self._notes = notes

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the JSON Schema of the type, with the notes."""
        return {**handler(schema), **self._notes}


class ParsedBy:
    """A function that checks and converts a value, or raises `ValueError`."""

    def __init__(
        self, parse: Callable[..., object], *, plain: bool = False, informed: bool = False
    ) -> None:
        """Validate with `parse`, after pydantic's own validation or, if `plain`, instead of it.

        If `informed`, `parse` gets pydantic's validation info, too.
        """
        self.parse = parse
        self.plain = plain
        self.informed = informed

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema that calls the function."""
        from pydantic_core import core_schema  # noqa: PLC0415 - importing it late is the point

        kind = "plain" if self.plain else "after"
        info = "with_info" if self.informed else "no_info"
        make = getattr(core_schema, f"{info}_{kind}_validator_function")
        schema: CoreSchema = make(self.parse, *([] if self.plain else [handler(source)]))
        return schema
