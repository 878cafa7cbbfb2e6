"""The JSON Schemas of suites, for the editors that complete and check YAML as it is typed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from grader.suite.hidden import WrittenHidden
from grader.suite.model import suite_form
from grader.suite.rules import Kinds

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def suite_schema(kinds: Kinds) -> dict[str, object]:
    """Return the JSON Schema of a suite whose rules may be of `kinds`.

    Every key has a description and an example.
    """
    schema = suite_form(kinds).model_json_schema(schema_generator=_SuiteSchema)
    return {"$schema": _DIALECT, **schema, "title": "grader suite"}


def hidden_schema() -> dict[str, object]:
    """Return the JSON Schema of a hidden suite, as `suite_schema` does of a public one."""
    schema = WrittenHidden.model_json_schema(schema_generator=_SuiteSchema)
    return {"$schema": _DIALECT, **schema, "title": "grader hidden suite"}


def schema_text(schema: Mapping[str, object]) -> str:
    """Return a schema as the text of its file in `docs`."""
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


class _SuiteSchema(GenerateJsonSchema):
    """Leaves out what only the models need: null for keys that are not there, made-up titles."""

    def normalize_name(self, name: str) -> str:
        # Editors and tools refer to the parts of the schema by these names.
        name = super().normalize_name(name).removeprefix("Written").removesuffix("Form")
        return f"{name}Form"

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default") in (None, ""):
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def field_title_should_be_set(self, schema: object) -> bool:
        return False
