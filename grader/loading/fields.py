"""What the forms of a suite are made of: their base, and the types of their fields.

A type says how a text of the file is checked and parsed, and which form editors see it have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetPydanticSchema
from pydantic_core import core_schema

from grader.importable import GIVABLE_PACKAGES, STANDARD, STANDARD_WORD
from grader.loading import texts
from grader.loading.code import Code, parse_code, parse_observer
from grader.suite import Prints, Raises, Returns, SameAs


class Form(BaseModel):
    """What all mappings of a suite share: unknown keys and wrong types are mistakes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def parsed_by(parse: Callable[[str], object]) -> GetPydanticSchema:
    """Return what tells pydantic to take text and to keep what `parse` makes of it."""

    def schema(_source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(parse, handler(str))

    return GetPydanticSchema(schema)


def pattern_of(pattern: str) -> object:
    """Return what tells editors the form of a text; the parsers above are what decides."""
    return Field(json_schema_extra={"pattern": pattern})


Slug: TypeAlias = Annotated[str, parsed_by(texts.slug), pattern_of(texts.SLUG_PATTERN)]
Id: TypeAlias = Annotated[str, parsed_by(texts.identity), pattern_of(texts.ID_PATTERN)]
Heading: TypeAlias = Annotated[str, parsed_by(texts.heading)]
Remark: TypeAlias = Annotated[str, parsed_by(texts.remark)]
Identifier: TypeAlias = Annotated[
    str, parsed_by(texts.identifier), pattern_of(texts.IDENTIFIER_PATTERN)
]
ModuleName: TypeAlias = Annotated[
    str,
    parsed_by(texts.module),
    Field(json_schema_extra={"enum": [STANDARD_WORD, *STANDARD, *GIVABLE_PACKAGES]}),
]
PartName: TypeAlias = Annotated[str, parsed_by(texts.part), pattern_of(texts.IDENTIFIER_PATTERN)]
DefinedName: TypeAlias = Annotated[str, parsed_by(texts.defined), pattern_of(texts.DEFINED_PATTERN)]
DottedName: TypeAlias = Annotated[str, parsed_by(texts.dotted), pattern_of(texts.DOTTED_PATTERN)]
SourcePath: TypeAlias = Annotated[
    str, parsed_by(texts.source_path), pattern_of(texts.SOURCE_PATTERN)
]
FileName: TypeAlias = Annotated[
    str, parsed_by(texts.file_name), pattern_of(texts.FILE_NAME_PATTERN)
]
StepCode: TypeAlias = Annotated[Code, parsed_by(parse_code)]
Observer: TypeAlias = Annotated[Code, parsed_by(parse_observer)]
ReturnsText: TypeAlias = Annotated[Returns, parsed_by(texts.returns)]
PrintsText: TypeAlias = Annotated[Prints, parsed_by(texts.prints)]
RaisesText: TypeAlias = Annotated[Raises, parsed_by(texts.raises), pattern_of(texts.RAISES_PATTERN)]
SameAsText: TypeAlias = Annotated[
    SameAs, parsed_by(texts.same_as), pattern_of(texts.IDENTIFIER_PATTERN)
]
WebAddress: TypeAlias = Annotated[
    str, parsed_by(texts.web_address), pattern_of(texts.ADDRESS_PATTERN)
]
