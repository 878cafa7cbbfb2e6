"""What pydantic is told about a type, for modules that are imported where nothing is validated.

pydantic takes longer to import than a check of one file. What stands in an annotation here asks for
it only when a value is checked against it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core.core_schema import CoreSchema


class Bounded:
    """How large something may be, or how it must look, in the words of pydantic's schemas."""

    def __init__(self, **bounds: Any) -> None:
        """Hold values to the `bounds`, such as `ge` and `max_length`."""
        self.bounds = bounds

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema of the type, with the bounds."""
        return cast("CoreSchema", {**handler(source), **self.bounds})


class Noted:
    """What editors are told about a value besides its type; it decides nothing."""

    def __init__(self, **notes: Any) -> None:
        """Have the JSON Schema of a value say the `notes`."""
        self._notes = notes

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the JSON Schema of the type, with the notes."""
        return {**handler(schema), **self._notes}


class ParsedBy:
    """What checks a value of the type and makes another one of it, or raises `ValueError`."""

    def __init__(
        self, parse: Callable[..., object], *, plain: bool = False, informed: bool = False
    ) -> None:
        """Keep what `parse` makes of a value; a `plain` one has not been looked at before.

        One that is `informed` is given what pydantic knows around the value, too.
        """
        self.parse = parse
        self.plain = plain
        self.informed = informed

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema that calls the function."""
        from pydantic_core import core_schema  # noqa: PLC0415 - it is why this module is there

        kind = "plain" if self.plain else "after"
        info = "with_info" if self.informed else "no_info"
        make = getattr(core_schema, f"{info}_{kind}_validator_function")
        schema: CoreSchema = make(self.parse, *([] if self.plain else [handler(source)]))
        return schema
