"""The JSON Schemas of suites, for editors that complete and check YAML.

They are stored beside the suites, so that a folder of suites can be moved; this project has its own
in its documentation.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from grader.suite.fields import json_schema_of
from grader.suite.hidden import WrittenHidden
from grader.suite.model import suite_form
from grader.suite.rules import Kinds

SUITE_SCHEMA: Final = "suite.schema.json"
HIDDEN_SCHEMA: Final = "hidden.schema.json"
_DOCUMENTATION: Final = "docs"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def suite_schema(kinds: Kinds) -> dict[str, object]:
    """Return the JSON Schema of a suite whose rules may be of `kinds`.

    Every key has a description and an example.
    """
    schema = json_schema_of(suite_form(kinds), _SuiteSchema)
    return {"$schema": _DIALECT, **schema, "title": "grader suite"}


def hidden_schema() -> dict[str, object]:
    """Return the JSON Schema of a hidden suite, as `suite_schema` does for a public one."""
    schema = json_schema_of(WrittenHidden, _SuiteSchema)
    return {"$schema": _DIALECT, **schema, "title": "grader hidden suite"}


def schema_text(schema: Mapping[str, object]) -> str:
    """Return a schema as the text of its file."""
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def schema_files(kinds: Kinds) -> Mapping[str, str]:
    """Return the text of each schema file, by name; rules may be of `kinds`."""
    return {
        SUITE_SCHEMA: schema_text(suite_schema(kinds)),
        HIDDEN_SCHEMA: schema_text(hidden_schema()),
    }


def schema_for(folder: Path, name: str) -> str | None:
    """Return the path of the schema `name` relative to a `folder` of suites, or None.

    It is in the folder, or in `docs` of the nearest folder above.
    """
    folder = folder.resolve()
    places = (folder, *(above / _DOCUMENTATION for above in (folder, *folder.parents)))
    found = next((place / name for place in places if (place / name).is_file()), None)
    # The suite has it in a comment, and is the same on every system.
    return None if found is None else Path(os.path.relpath(found, folder)).as_posix()


class _SuiteSchema(GenerateJsonSchema):
    """Leaves out what only the models need: null for missing keys, generated titles."""

    def normalize_name(self, name: str) -> str:
        # Editors and tools refer to the parts of the schema by these names.
        name = super().normalize_name(name).removeprefix("Written").removesuffix("Form")
        return f"{name}Form"

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default") in (None, ""):  # these stand for a missing key
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def field_title_should_be_set(self, schema: object) -> bool:
        return False
