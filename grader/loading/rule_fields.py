"""The types of the fields of rules: how each text is checked and parsed."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from grader.constructs import LOOPS
from grader.loading import texts
from grader.loading.code import Code, parse_code
from grader.loading.fields import parsed_by, pattern_of
from grader.loading.headings import HEADING_PATTERN, FunctionHeading, parse_heading
from grader.loading.refusal import Refusal

MAX_SIZE: Final = 1_000_000


def _parse_call(text: str) -> Code:
    """Return what `text`, an expression that can stand in parentheses, is."""
    code = parse_code(text)
    if not code.is_expression:
        advice = "write one call here, and what must come before it in `setup`"
        raise Refusal("this is no expression, so there is nothing to look into", advice)
    try:
        parse_code(f"({code.text})")
    except Refusal as refusal:
        raise Refusal("this call ends in a comment", "leave the comment out") from refusal
    return code


GrowthWord: TypeAlias = Literal["constant", "logarithmic", "linear"]
DemandWord: TypeAlias = Literal["required", "expected", "forbidden"]
ExtraWord: TypeAlias = Literal["none", "defaults"]

FunctionName: TypeAlias = Annotated[
    str, parsed_by(texts.function), pattern_of(texts.FUNCTION_PATTERN)
]
Size: TypeAlias = Annotated[int, Field(ge=0, le=MAX_SIZE)]
Call: TypeAlias = Annotated[Code, parsed_by(_parse_call)]
Unit: TypeAlias = Annotated[str, parsed_by(texts.unit)]
LoopName: TypeAlias = Annotated[
    str, parsed_by(texts.loop), Field(json_schema_extra={"enum": [*LOOPS]})
]
ConstructName: TypeAlias = Annotated[
    str, parsed_by(texts.construct), Field(json_schema_extra={"enum": [*texts.FORBIDDABLE]})
]
AllowedName: TypeAlias = Annotated[
    str, parsed_by(texts.top_module), pattern_of(texts.IDENTIFIER_PATTERN)
]
HeadingText: TypeAlias = Annotated[
    FunctionHeading, parsed_by(parse_heading), pattern_of(HEADING_PATTERN)
]
CountedName: TypeAlias = Annotated[str, parsed_by(texts.identifier)]
Version: TypeAlias = Annotated[
    tuple[int, int], parsed_by(texts.python_version), pattern_of(texts.VERSION_PATTERN)
]
