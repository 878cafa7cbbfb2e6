"""The JSON Schemas of suites, for the editors that complete and check YAML as it is typed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from grader.loading.forms import SuiteForm
from grader.loading.hidden_forms import HiddenForm

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def suite_schema() -> dict[str, object]:
    """Return the JSON Schema of a suite, with a description and an example for every key."""
    schema = SuiteForm.model_json_schema(schema_generator=_SuiteSchema)
    return {"$schema": _DIALECT, **schema, "title": "grader suite"}


def hidden_schema() -> dict[str, object]:
    """Return the JSON Schema of a hidden suite, as `suite_schema` does of a public one."""
    schema = HiddenForm.model_json_schema(schema_generator=_SuiteSchema)
    return {"$schema": _DIALECT, **schema, "title": "grader hidden suite"}


def schema_text(schema: Mapping[str, object] | None = None) -> str:
    """Return a schema, that of a public suite by default, as the text of its file in `docs`."""
    return json.dumps(schema or suite_schema(), ensure_ascii=False, indent=2) + "\n"


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
