"""The base class of the forms in a suite, and the types of their fields.

A type defines how text in the file is checked and parsed, and which pattern editors use for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum, StrEnum
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    Self,
    TypeAlias,
    TypeVar,
    dataclass_transform,
)

from grader.suite import texts
from grader.suite.code import Code, check_code, parse_accepts, parse_code, parse_observer, read_code
from grader.suite.form_models import form_adapter, form_model
from grader.suite.vocabulary import GIVABLE_PACKAGES, STANDARD_MODULES, STANDARD_WORD
from grader.values.constraints import Bounded, ParsedBy, SchemaNotes

if TYPE_CHECKING:  # most suites come from the cache, which needs no pydantic
    from pydantic import BaseModel, GetCoreSchemaHandler, ValidationInfo
    from pydantic_core.core_schema import CoreSchema

_T = TypeVar("_T")
_GIVEN: Final = "given_keys"


class FormKey:
    """A key of a form, with its description, examples, default and bounds."""

    __slots__ = ("_derived", "_factory", "description", "examples", "settings")

    def __init__(self, description: str, examples: list[object], settings: dict[str, Any]) -> None:
        """Create a key with `settings`, which are for pydantic's `Field` except for `default_from`.

        `default_from` is removed from `settings`: it is a function that derives the default from
        the values of earlier keys.
        """
        self.description: Final = description
        self.examples: Final = examples
        self._derived: Final = settings.pop("default_from", None)
        self._factory: Final = settings.get("default_factory")
        self.settings: Final = settings
        if self._derived is not None:
            settings["default_factory"] = self._derived

    @property
    def is_required(self) -> bool:
        """Whether the key has no default."""
        return self.settings.keys().isdisjoint({"default", "default_factory"})

    def default(self, values: dict[str, Any]) -> Any:
        """Return the default of the key, given the `values` of the form's earlier keys."""
        if self._derived is not None:
            return self._derived(values)
        return self.settings["default"] if self._factory is None else self._factory()


def key(description: str, *examples: object, **settings: Any) -> Any:
    """Return a key of a form; `settings` can set its default and bounds."""
    return FormKey(description, [*examples], settings)


def flag(description: str, *, example: bool, default: bool | None) -> Any:
    """Return a boolean key of a form."""
    return key(description, example, default=default)


def optional(description: str, *examples: object, **settings: Any) -> Any:
    """Return a key of a form, with None as its default."""
    return key(description, *examples, default=None, **settings)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Form:
    """The base of all mappings in a suite, in which unknown keys and wrong types are mistakes.

    A pydantic model, which is derived from the class, checks data from files. Values passed to the
    class itself must already be valid.
    """

    form_name: ClassVar[str] = ""
    """The name of the form in messages, such as `a group`."""
    form_keys: ClassVar[Mapping[str, FormKey]] = {}
    model_config: ClassVar[Mapping[str, Any]] = {}
    """Settings for the pydantic model, besides those that all forms share."""
    given_keys: ClassVar[frozenset[str]] = frozenset()
    """The keys that were given explicitly; each instance has its own set."""

    def __init_subclass__(cls, **config: Any) -> None:
        """Move the keys of the class to `form_keys`; `config` is for the pydantic model."""
        super().__init_subclass__()
        cls.model_config = {**cls.model_config, **config}
        own_keys = {}
        for name, annotation in vars(cls).get("__annotations__", {}).items():
            # Annotations are strings here, because of `from __future__ import annotations`.
            if not str(annotation).startswith("ClassVar"):
                own_keys[name] = _form_key(vars(cls).get(name, ...))
                if name in vars(cls):
                    # A FormKey left on the class would hide that an instance has no value.
                    delattr(cls, name)
        cls.form_keys = {**cls.form_keys, **own_keys}

    def __init__(self, **values: Any) -> None:
        """Create a form with valid `values`; other keys get their defaults.

        Raises `TypeError` if a required key is missing or a key is unknown.
        """
        attributes = vars(self)
        # Set through vars(), as `__setattr__` refuses every assignment.
        for name, form_key in self.form_keys.items():
            if name in values:
                attributes[name] = values[name]
            elif form_key.is_required:
                raise TypeError(f"{type(self).__name__} needs {name}")
            else:
                attributes[name] = form_key.default(attributes)
        if unknown := values.keys() - attributes.keys():
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        # mypy checks the types here; data from files goes through `validate`.
        attributes[_GIVEN] = frozenset(values)

    @classmethod
    def validate(cls, data: object, context: Mapping[str, object] | None = None) -> Self:
        """Validate `data`, which comes from a file, and return it as a form.

        `context` says where to read the code files that `data` names. Raises pydantic's
        `ValidationError` if `data` is invalid.
        """
        form: Self = form_adapter(cls).validate_python(data, context=context)
        return form

    @classmethod
    def with_keys(cls, **keys: tuple[Any, Any]) -> type[Self]:
        """Return a subclass with `keys` added or replaced; each is a pair of a type and a key."""
        types = {name: annotation for name, (annotation, _) in keys.items()}
        body = {name: form_key for name, (_, form_key) in keys.items()}
        inherited = {"__module__": cls.__module__, "__doc__": cls.__doc__}
        form: type[Self] = type(
            cls.__name__, (cls,), {"__annotations__": types, **inherited, **body}
        )
        return form

    @classmethod
    def prepare(cls, data: Any) -> Any:
        """Return `data` from a file, which a subclass can change before its keys are checked."""
        return data

    def complete(self) -> None:
        """Raise `Refusal` if keys contradict each other, which a subclass can check."""

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Yield pairs of key and value."""
        attributes = vars(self)
        return ((name, attributes[name]) for name in self.form_keys)

    def with_changes(self, **values: Any) -> Self:
        """Return a copy with these `values` replaced, without checking them.

        Cached properties are not copied.
        """
        # Not through __init__, which would apply defaults and reset the given keys.
        copy = object.__new__(type(self))
        vars(copy).update(self, **values)
        vars(copy)[_GIVEN] = self.given_keys | values.keys()
        return copy

    def convert_to(self, form: type[_F], **values: Any) -> _F:
        """Return a `form` with the values of this one, and with `values`, which take precedence.

        It has the same given keys. Raises `TypeError` if a required key is missing or a key is
        unknown.
        """
        instance = form(**dict(self) | values)
        vars(instance)[_GIVEN] = self.given_keys
        return instance

    def to_plain_data(self) -> dict[str, Any]:
        """Return the explicitly given keys and their values as plain data."""
        return {name: _to_plain(value) for name, value in self if name in self.given_keys}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and dict(self) == dict(other)

    def __hash__(self) -> int:
        return hash((type(self), *(value for _, value in self)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of {type(self).__name__} is read-only: use with_changes")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={each!r}' for name, each in self)})"

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return a schema that prepares data, validates it with the model and returns the form."""
        from pydantic_core import core_schema  # noqa: PLC0415 - see the top

        model = handler.generate_schema(form_model(cls))
        return core_schema.no_info_after_validator_function(
            cls._from_model,
            core_schema.no_info_before_validator_function(cls.prepare, model),
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )

    @classmethod
    def _from_model(cls, model: BaseModel) -> Self:
        """Return the form with the values of `model`.

        Raises `Refusal` if keys contradict each other.
        """
        # Not through __init__, which would count defaults as given keys.
        form = object.__new__(cls)
        vars(form).update(vars(model))
        vars(form)[_GIVEN] = frozenset(model.model_fields_set)
        form.complete()
        return form


_F = TypeVar("_F", bound=Form)


def _form_key(value: object) -> FormKey:
    """Return the key that the class attribute `value` declares.

    An attribute that is not a `FormKey` is a default, and `...` stands for no attribute.
    """
    if isinstance(value, FormKey):
        return value
    return FormKey("", [], {} if value is ... else {"default": value})


def _to_plain(value: object) -> Any:
    """Return `value`, the value of a key, as the plain data that a file would contain."""
    match value:
        case Form():
            return value.to_plain_data()
        case Enum():
            return value.value
        case tuple() | list():
            return [*map(_to_plain, value)]
        case Mapping():
            return {name: _to_plain(item) for name, item in value.items()}
        case _:
            return value


def parsed_by(parse: Callable[[str], object]) -> _TextParser:
    """Return an annotation for text that is stored as the result of `parse`."""
    return _TextParser(parse)


class _TextParser(ParsedBy):
    """A parser that takes text, whatever the type of its result."""

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return a schema that validates text and then parses it."""
        return super().__get_pydantic_core_schema__(str, handler)


class KeptAsWritten:
    """Annotation for data that is validated against `form` but stored as written."""

    def __init__(self, form: type[Form]) -> None:
        """Validate against `form`."""
        self.form: Final = form

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return a schema that validates against `form` and returns the data unchanged."""
        from pydantic_core import core_schema  # noqa: PLC0415 - see the top

        return core_schema.no_info_wrap_validator_function(_validate_unchanged, handler(self.form))


def _validate_unchanged(data: object, validate: Callable[[object], object]) -> object:
    validate(data)
    return data


class _Word:
    """Annotation for text that must be the value of an enum member."""

    def __init__(self, words: type[StrEnum], allowed: tuple[StrEnum, ...]) -> None:
        self._words: Final = words
        self._allowed: Final = allowed

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return a schema that accepts the words and converts them to enum members."""
        from pydantic_core import core_schema  # noqa: PLC0415 - see the top

        words = tuple(word.value for word in self._allowed or self._words)
        literal = Literal[words]  # type: ignore[valid-type]  # any number of words
        return core_schema.no_info_after_validator_function(self._words, handler(literal))


def one_of_words(words: type[StrEnum], *allowed: StrEnum) -> _Word:
    """Return an annotation for text that is one of `words`, or of `allowed` if there are any."""
    return _Word(words, allowed)


def _read_from_folder(path: str, info: ValidationInfo) -> str:
    """Return the code in the file at `path`, which is relative to the folder in the context.

    A file that is packed in the suite takes precedence. Return `path` itself if the context has no
    folder. Raises `Refusal` if the path or the code is invalid, or if the file cannot be read.
    """
    texts.source_path(path)
    context = info.context or {}
    if path in (packed := context.get("packed", {})):
        return check_code(packed[path], path)
    folder = context.get("folder")
    return path if folder is None else read_code(Path(folder), path)


def editor_pattern(pattern: str) -> object:
    """Return an annotation that passes `pattern` to editors; it does not validate anything."""
    return SchemaNotes(pattern=pattern)


Slug: TypeAlias = Annotated[str, parsed_by(texts.slug), editor_pattern(texts.SLUG_PATTERN)]
Id: TypeAlias = Annotated[str, parsed_by(texts.item_id), editor_pattern(texts.ID_PATTERN)]
Heading: TypeAlias = Annotated[str, parsed_by(texts.title)]
Remark: TypeAlias = Annotated[str, parsed_by(texts.nonempty_text)]
Identifier: TypeAlias = Annotated[
    str, parsed_by(texts.identifier), editor_pattern(texts.IDENTIFIER_PATTERN)
]
ModuleName: TypeAlias = Annotated[
    str,
    parsed_by(texts.importable_module),
    SchemaNotes(enum=[STANDARD_WORD, *STANDARD_MODULES, *GIVABLE_PACKAGES]),
]
PartName: TypeAlias = Annotated[
    str, parsed_by(texts.part_name), editor_pattern(texts.IDENTIFIER_PATTERN)
]
DefinedName: TypeAlias = Annotated[
    str, parsed_by(texts.defined_name), editor_pattern(texts.DEFINED_PATTERN)
]
FunctionName: TypeAlias = Annotated[
    str, parsed_by(texts.function_name), editor_pattern(texts.FUNCTION_PATTERN)
]
DottedName: TypeAlias = Annotated[
    str, parsed_by(texts.dotted_name), editor_pattern(texts.DOTTED_PATTERN)
]
MessageKey: TypeAlias = Annotated[
    str, parsed_by(texts.message_key), editor_pattern(texts.MESSAGE_KEY_PATTERN)
]
SourceCode: TypeAlias = Annotated[
    str, ParsedBy(_read_from_folder, with_info=True), editor_pattern(texts.SOURCE_PATTERN)
]
"""Code by the author, in a file that the suite names."""
Items: TypeAlias = Annotated[tuple[_T, ...], Bounded(strict=False)]
"""A list in the file, stored as a tuple."""
FileName: TypeAlias = Annotated[
    str, parsed_by(texts.file_name), editor_pattern(texts.FILE_NAME_PATTERN)
]
PackedName: TypeAlias = Annotated[
    str, parsed_by(texts.nonempty_text), editor_pattern(texts.FILE_NAME_PATTERN)
]
"""The path of a packed file as written in the suite; it can be outside the suite's folder."""
StepCode: TypeAlias = Annotated[Code, parsed_by(parse_code)]
Observer: TypeAlias = Annotated[Code, parsed_by(parse_observer)]
AcceptsCode: TypeAlias = Annotated[Code, parsed_by(parse_accepts)]
WebAddress: TypeAlias = Annotated[
    str, parsed_by(texts.web_address), editor_pattern(texts.ADDRESS_PATTERN)
]
MailAddress: TypeAlias = Annotated[
    str, parsed_by(texts.mail_address), editor_pattern(texts.MAIL_PATTERN)
]
StopPolicy: TypeAlias = Annotated[
    str, parsed_by(texts.stop_policy), editor_pattern(texts.STOP_POLICY_PATTERN)
]
Moment: TypeAlias = Annotated[
    str, parsed_by(texts.date_or_time), editor_pattern(texts.MOMENT_PATTERN)
]
Sha256: TypeAlias = Annotated[str, parsed_by(texts.sha256), editor_pattern(texts.SHA256_PATTERN)]
MutantName: TypeAlias = Annotated[
    str, parsed_by(texts.mutant_name), editor_pattern(texts.MUTANT_PATTERN)
]
