"""The JSON Schema of a suite, for the editors that complete and check YAML as it is typed."""

from __future__ import annotations

import json
from typing import Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from grader.loading.forms import SuiteForm

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def suite_schema() -> dict[str, object]:
    """Return the JSON Schema of a suite, with a description and an example for every key."""
    schema = SuiteForm.model_json_schema(schema_generator=_SuiteSchema)
    return {"$schema": _DIALECT, **schema, "title": "grader suite"}


def schema_text() -> str:
    """Return the schema as the text of `docs/suite.schema.json`."""
    return json.dumps(suite_schema(), ensure_ascii=False, indent=2) + "\n"


class _SuiteSchema(GenerateJsonSchema):
    """Leaves out what only the models need: null for keys that are not there, made-up titles."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default") in (None, ""):
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def field_title_should_be_set(self, schema: object) -> bool:
        return False
