"""What the forms of a suite are made of: their base, and the types of their fields.

A type says how a text of the file is checked and parsed, and which form editors see it have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    ValidationInfo,
)
from pydantic_core import core_schema

from grader.suite import texts
from grader.suite.code import Code, as_code, parse_accepts, parse_code, parse_observer, read_code
from grader.suite.vocabulary import GIVABLE_PACKAGES, STANDARD, STANDARD_WORD

_T = TypeVar("_T")


class Form(BaseModel):
    """What all mappings of a suite share: unknown keys and wrong types are mistakes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    called: ClassVar[str] = ""
    """What a message calls one of these: `a group`."""

    def __copy__(self) -> Self:
        """Return a copy that keeps nothing of what was worked out: a change may come after it."""
        copied = super().__copy__()
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied

    def changed(self, **fields: Any) -> Self:
        """Return a copy with these `fields`, which are not checked again."""
        return self.model_copy(update=fields)


def key(description: str, *examples: object, **settings: Any) -> Any:
    """Return a key of a mapping; `settings` are its default, if it has one, and its bounds."""
    return Field(description=description, examples=[*examples], **settings)


def optional(description: str, *examples: object, **settings: Any) -> Any:
    """Return a key that may be left out: there is None then."""
    return key(description, *examples, default=None, **settings)


def parsed_by(parse: Callable[[str], object]) -> GetPydanticSchema:
    """Return what tells pydantic to take text and to keep what `parse` makes of it."""

    def schema(_source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(parse, handler(str))

    return GetPydanticSchema(schema)


@dataclass(frozen=True, slots=True)
class KeptAsWritten:
    """Tells pydantic to check data against `form`, and to keep the data as it is."""

    form: type[Form]

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        """Return the schema of `form` with the data itself as its result."""
        return core_schema.no_info_wrap_validator_function(_checked, handler(self.form))


def _checked(data: object, validate: Callable[[object], object]) -> object:
    validate(data)
    return data


def word_of(words: type[StrEnum], *allowed: StrEnum) -> GetPydanticSchema:
    """Return what tells pydantic to take one of `words`, or of those `allowed`, as text."""

    def schema(_source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        literal = Literal[tuple(word.value for word in allowed or words)]  # type: ignore[valid-type]  # as many as there are
        return core_schema.no_info_after_validator_function(words, handler(literal))

    return GetPydanticSchema(schema)


def _read_from_folder(path: str, info: ValidationInfo) -> str:
    """Return the code in the file at `path`; without a folder to look in, the path itself.

    What the suite has packed goes before what lies there.
    """
    texts.source_path(path)
    context = info.context or {}
    if path in (packed := context.get("packed", {})):
        return as_code(packed[path], path)
    folder = context.get("folder")
    return path if folder is None else read_code(Path(folder), path)


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
FunctionName: TypeAlias = Annotated[
    str, parsed_by(texts.function), pattern_of(texts.FUNCTION_PATTERN)
]
DottedName: TypeAlias = Annotated[str, parsed_by(texts.dotted), pattern_of(texts.DOTTED_PATTERN)]
MessageKey: TypeAlias = Annotated[
    str, parsed_by(texts.message_key), pattern_of(texts.MESSAGE_KEY_PATTERN)
]
SourceCode: TypeAlias = Annotated[
    str, AfterValidator(_read_from_folder), pattern_of(texts.SOURCE_PATTERN)
]
"""Code of ours, in a file that the suite names."""
Items: TypeAlias = Annotated[tuple[_T, ...], Field(strict=False)]
"""A list of the file: it does not change once it is read."""
FileName: TypeAlias = Annotated[
    str, parsed_by(texts.file_name), pattern_of(texts.FILE_NAME_PATTERN)
]
PackedName: TypeAlias = Annotated[str, parsed_by(texts.remark), pattern_of(texts.FILE_NAME_PATTERN)]
"""The path by which a suite names a file; it may lead out of the folder of the suite."""
StepCode: TypeAlias = Annotated[Code, parsed_by(parse_code)]
Observer: TypeAlias = Annotated[Code, parsed_by(parse_observer)]
AcceptsCode: TypeAlias = Annotated[Code, parsed_by(parse_accepts)]
WebAddress: TypeAlias = Annotated[
    str, parsed_by(texts.web_address), pattern_of(texts.ADDRESS_PATTERN)
]
Moment: TypeAlias = Annotated[str, parsed_by(texts.moment), pattern_of(texts.MOMENT_PATTERN)]
Sha256: TypeAlias = Annotated[str, parsed_by(texts.sha256), pattern_of(texts.SHA256_PATTERN)]
MutantName: TypeAlias = Annotated[str, parsed_by(texts.mutant), pattern_of(texts.MUTANT_PATTERN)]
