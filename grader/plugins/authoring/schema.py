"""The JSON Schemas of suites, for editors that complete and check YAML.

They are stored beside the suites, so that a suites folder can be moved. This project keeps the
schemas of its own suites in its documentation.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from grader.suite.form_models import form_json_schema
from grader.suite.hidden import WrittenHidden
from grader.suite.model import suite_form
from grader.suite.rules import Kinds

SUITE_SCHEMA: Final = "suite.schema.json"
HIDDEN_SCHEMA: Final = "hidden.schema.json"
_DOCUMENTATION: Final = "docs"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def suite_schema(kinds: Kinds) -> dict[str, object]:
    """Return the JSON Schema of a suite that can have rules of these `kinds`.

    Every key has a description and an example.
    """
    schema = form_json_schema(suite_form(kinds), _SuiteSchema)
    return {"$schema": _DIALECT, **schema, "title": "grader suite"}


def hidden_schema() -> dict[str, object]:
    """Return the JSON Schema of a hidden suite; see `suite_schema` for that of a public suite."""
    schema = form_json_schema(WrittenHidden, _SuiteSchema)
    return {"$schema": _DIALECT, **schema, "title": "grader hidden suite"}


def schema_text(schema: Mapping[str, object]) -> str:
    """Return `schema` as the text of a schema file."""
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def schema_files(kinds: Kinds) -> Mapping[str, str]:
    """Return the text of each schema file, keyed by file name.

    The schemas are for suites that can have rules of these `kinds`.
    """
    return {
        SUITE_SCHEMA: schema_text(suite_schema(kinds)),
        HIDDEN_SCHEMA: schema_text(hidden_schema()),
    }


def schema_path(folder: Path, name: str) -> str | None:
    """Return the path of the schema file `name`, relative to the suites `folder`.

    The file is looked up in `folder` itself, then in the `docs` folders in `folder` and in each
    folder above it. Return None if there is no such file.
    """
    folder = folder.resolve()
    folders = (folder, *(ancestor / _DOCUMENTATION for ancestor in (folder, *folder.parents)))
    path = next((location / name for location in folders if (location / name).is_file()), None)
    # The suite contains the path in a comment, and must have the same bytes on every system.
    return None if path is None else Path(os.path.relpath(path, folder)).as_posix()


class _SuiteSchema(GenerateJsonSchema):
    """Omits what only the models need: null for missing keys, and generated titles."""

    def normalize_name(self, name: str) -> str:
        # Editors and tools refer to the schema's definitions by these names.
        name = super().normalize_name(name).removeprefix("Written").removesuffix("Form")
        return f"{name}Form"

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        # None means that the key is missing; authors do not write null.
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default") in (None, ""):  # these mean that the key is missing
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def field_title_should_be_set(self, schema: object) -> bool:
        return False
