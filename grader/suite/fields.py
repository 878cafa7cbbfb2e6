"""What the forms of a suite are made of: their base, and the types of their fields.

A type says how a text of the file is checked and parsed, and which form editors see it have.
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
    get_type_hints,
)

from grader.suite import texts
from grader.suite.code import Code, as_code, parse_accepts, parse_code, parse_observer, read_code
from grader.suite.vocabulary import GIVABLE_PACKAGES, STANDARD, STANDARD_WORD
from grader.values.constraints import Bounded, Noted, ParsedBy

if TYPE_CHECKING:  # most suites were read before, and need no pydantic any more
    from pydantic import BaseModel, GetCoreSchemaHandler, TypeAdapter, ValidationInfo
    from pydantic_core.core_schema import CoreSchema

_T = TypeVar("_T")
_GIVEN: Final = "given_keys"


class FormKey:
    """A key of a mapping: what it is for, examples, and its default and bounds if it has any."""

    __slots__ = ("_derived", "_factory", "description", "examples", "settings")

    def __init__(self, description: str, examples: list[object], settings: dict[str, Any]) -> None:
        """Make a key; a `default_from` of its `settings` derives it from the keys before it."""
        self.description: Final = description
        self.examples: Final = examples
        self._derived: Final = settings.pop("default_from", None)
        self._factory: Final = settings.get("default_factory")
        self.settings: Final = settings
        if self._derived is not None:
            settings["default_factory"] = self._derived

    @property
    def is_required(self) -> bool:
        """Whether it may not be left out."""
        return self.settings.keys().isdisjoint({"default", "default_factory"})

    def default(self, values: dict[str, Any]) -> Any:
        """Return what stands for it in a mapping of `values` that leaves it out."""
        if self._derived is not None:
            return self._derived(values)
        return self.settings["default"] if self._factory is None else self._factory()


def key(description: str, *examples: object, **settings: Any) -> Any:
    """Return a key of a mapping; `settings` are its default, if it has one, and its bounds."""
    return FormKey(description, [*examples], settings)


def flag(description: str, *, example: bool, default: bool | None) -> Any:
    """Return a key that says whether something is so."""
    return key(description, example, default=default)


def optional(description: str, *examples: object, **settings: Any) -> Any:
    """Return a key that may be left out: there is None then."""
    return key(description, *examples, default=None, **settings)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Form:
    """What all mappings of a suite share: unknown keys and wrong types are mistakes.

    It is checked by a model of pydantic's that is made of it when a file is read. What is made by
    calling the class has been checked.
    """

    called: ClassVar[str] = ""
    """What a message calls one of these: `a group`."""
    form_keys: ClassVar[Mapping[str, FormKey]] = {}
    _config: ClassVar[Mapping[str, Any]] = {}
    given_keys: ClassVar[frozenset[str]] = frozenset()
    """The keys that were not left out; of each form its own."""

    def __init_subclass__(cls, **config: Any) -> None:
        """Take the keys out of the class; `config` is for pydantic, and for what comes of it."""
        super().__init_subclass__()
        cls._config = {**cls._config, **config}
        own = {}
        for name, annotation in vars(cls).get("__annotations__", {}).items():
            if not str(annotation).startswith("ClassVar"):
                own[name] = _as_key(vars(cls).get(name, ...))
                if name in vars(cls):
                    delattr(cls, name)
        cls.form_keys = {**cls.form_keys, **own}

    def __init__(self, **values: Any) -> None:
        """Make a form of `values` that are in order; what is left out has its default."""
        own = vars(self)
        for name, each in self.form_keys.items():
            if name in values:
                own[name] = values[name]
            elif each.is_required:
                raise TypeError(f"{type(self).__name__} needs {name}")
            else:
                own[name] = each.default(own)
        if unknown := values.keys() - own.keys():
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        own[_GIVEN] = frozenset(values)

    @classmethod
    def checked(cls, data: object, context: Mapping[str, object] | None = None) -> Self:
        """Return the form that `data` of a file holds; raises pydantic's `ValidationError`.

        The `context` says where code that is named comes from.
        """
        form: Self = _adapter(cls).validate_python(data, context=context)
        return form

    @classmethod
    def with_keys(cls, **keys: tuple[Any, Any]) -> type[Self]:
        """Return the form with these keys besides, or in place of its own: types and keys."""
        types = {name: annotation for name, (annotation, _) in keys.items()}
        body = {name: each for name, (_, each) in keys.items()}
        inherited = {"__module__": cls.__module__, "__doc__": cls.__doc__}
        form: type[Self] = type(
            cls.__name__, (cls,), {"__annotations__": types, **inherited, **body}
        )
        return form

    @classmethod
    def prepared(cls, data: Any) -> Any:
        """Return `data` of a file as the keys take it."""
        return data

    def complete(self) -> None:
        """Raise `Refusal` if the keys do not fit each other."""

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Yield each key with its value."""
        own = vars(self)
        return ((name, own[name]) for name in self.form_keys)

    def changed(self, **values: Any) -> Self:
        """Return a copy with these `values`, which are not checked again.

        It keeps nothing of what was worked out.
        """
        copied = object.__new__(type(self))
        vars(copied).update(self, **values)
        vars(copied)[_GIVEN] = self.given_keys | values.keys()
        return copied

    def into(self, form: type[_F], **values: Any) -> _F:
        """Return the other kind of `form` with what was given here, and with these `values`."""
        made = form(**dict(self) | values)
        vars(made)[_GIVEN] = self.given_keys
        return made

    def as_written(self) -> dict[str, Any]:
        """Return as plain data what was given."""
        return {name: _plain(value) for name, value in self if name in self.given_keys}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and dict(self) == dict(other)

    def __hash__(self) -> int:
        return hash((type(self), *(value for _, value in self)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of {type(self).__name__} is for reading only")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={each!r}' for name, each in self)})"

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema of the model that checks what becomes one of these."""
        from pydantic_core import core_schema  # noqa: PLC0415 - see the top

        model = handler.generate_schema(_model(cls))
        return core_schema.no_info_after_validator_function(
            cls._of,
            core_schema.no_info_before_validator_function(cls.prepared, model),
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )

    @classmethod
    def _of(cls, model: BaseModel) -> Self:
        form = object.__new__(cls)
        vars(form).update(vars(model))
        vars(form)[_GIVEN] = frozenset(model.model_fields_set)
        form.complete()
        return form


_F = TypeVar("_F", bound=Form)


def _as_key(value: object) -> FormKey:
    """Return the key that a class says by the `value` of an attribute; `...` stands for none."""
    if isinstance(value, FormKey):
        return value
    return FormKey("", [], {} if value is ... else {"default": value})


def _plain(value: object) -> Any:
    match value:
        case Form():
            return value.as_written()
        case Enum():
            return value.value
        case tuple() | list():
            return [*map(_plain, value)]
        case Mapping():
            return {name: _plain(each) for name, each in value.items()}
        case _:
            return value


def annotations_of(form: type[Form]) -> Mapping[str, Any]:
    """Return the type of each key of `form`, with what is said about it."""
    hints = get_type_hints(form, include_extras=True)
    return {name: hints[name] for name in form.form_keys}


_MODELS: Final[dict[type[Form], type[BaseModel]]] = {}
_ADAPTERS: Final[dict[type[Form], TypeAdapter[Any]]] = {}


def _model(form: type[Form]) -> type[BaseModel]:
    """Return the model that checks what becomes a `form`."""
    if form in _MODELS:
        return _MODELS[form]
    from pydantic import Field, create_model  # noqa: PLC0415 - see the top

    keys: dict[str, Any] = {}
    for name, annotation in annotations_of(form).items():
        each = form.form_keys[name]
        told: dict[str, Any] = {"examples": each.examples or None, **each.settings}
        keys[name] = annotation, Field(description=each.description or None, **told)
    config: Any = {"extra": "forbid", "strict": True, "defer_build": True, **form._config}  # noqa: SLF001 - it is for us
    _MODELS[form] = create_model(
        form.__name__, __config__=config, __doc__=form.__doc__, __module__=form.__module__, **keys
    )
    return _MODELS[form]


def _adapter(form: type[Form]) -> TypeAdapter[Any]:
    if form not in _ADAPTERS:
        from pydantic import TypeAdapter  # noqa: PLC0415 - see the top

        _ADAPTERS[form] = TypeAdapter(form)
    return _ADAPTERS[form]


def json_schema_of(form: type[Form], generator: type[Any]) -> dict[str, Any]:
    """Return the JSON Schema of a `form`, as the `generator` of pydantic's makes it."""
    schema: dict[str, Any] = _adapter(form).json_schema(schema_generator=generator)
    return schema


def parsed_by(parse: Callable[[str], object]) -> _Text:
    """Return what takes text, and keeps what `parse` makes of it."""
    return _Text(parse)


class _Text(ParsedBy):
    """A parser of text, whatever it makes of that."""

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema that calls the parser with text."""
        return super().__get_pydantic_core_schema__(str, handler)


class KeptAsWritten:
    """Tells that data is checked against `form`, and kept as it is."""

    def __init__(self, form: type[Form]) -> None:
        """Check against `form`."""
        self.form: Final = form

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema of `form` with the data itself as its result."""
        from pydantic_core import core_schema  # noqa: PLC0415 - see the top

        return core_schema.no_info_wrap_validator_function(_checked, handler(self.form))


def _checked(data: object, validate: Callable[[object], object]) -> object:
    validate(data)
    return data


class _Word:
    """Takes one of the words of an enumeration, as text."""

    def __init__(self, words: type[StrEnum], allowed: tuple[StrEnum, ...]) -> None:
        self._words: Final = words
        self._allowed: Final = allowed

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema of the words."""
        from pydantic_core import core_schema  # noqa: PLC0415 - see the top

        words = tuple(word.value for word in self._allowed or self._words)
        literal = Literal[words]  # type: ignore[valid-type]  # as many as there are
        return core_schema.no_info_after_validator_function(self._words, handler(literal))


def word_of(words: type[StrEnum], *allowed: StrEnum) -> _Word:
    """Return what takes one of `words`, or of those `allowed`, as text."""
    return _Word(words, allowed)


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
    return Noted(pattern=pattern)


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
    Noted(enum=[STANDARD_WORD, *STANDARD, *GIVABLE_PACKAGES]),
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
    str, ParsedBy(_read_from_folder, informed=True), pattern_of(texts.SOURCE_PATTERN)
]
"""Code of ours, in a file that the suite names."""
Items: TypeAlias = Annotated[tuple[_T, ...], Bounded(strict=False)]
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
Stopped: TypeAlias = Annotated[str, parsed_by(texts.stopped), pattern_of(texts.STOPPED_PATTERN)]
Moment: TypeAlias = Annotated[str, parsed_by(texts.moment), pattern_of(texts.MOMENT_PATTERN)]
Sha256: TypeAlias = Annotated[str, parsed_by(texts.sha256), pattern_of(texts.SHA256_PATTERN)]
MutantName: TypeAlias = Annotated[str, parsed_by(texts.mutant), pattern_of(texts.MUTANT_PATTERN)]
