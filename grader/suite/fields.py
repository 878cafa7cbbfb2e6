"""The base class of the forms of a suite, and the types of their fields.

A type says how a text of the file is checked and parsed, and which pattern editors show for it.
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
    """A key of a mapping: its description, examples, and its default and bounds, if any."""

    __slots__ = ("_derived", "_factory", "description", "examples", "settings")

    def __init__(self, description: str, examples: list[object], settings: dict[str, Any]) -> None:
        """Make a key; `default_from` in `settings` derives the default from the keys before it."""
        self.description: Final = description
        self.examples: Final = examples
        self._derived: Final = settings.pop("default_from", None)
        self._factory: Final = settings.get("default_factory")
        self.settings: Final = settings
        if self._derived is not None:
            settings["default_factory"] = self._derived

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.settings.keys().isdisjoint({"default", "default_factory"})

    def default(self, values: dict[str, Any]) -> Any:
        """Return its default in a mapping with these `values`."""
        if self._derived is not None:
            return self._derived(values)
        return self.settings["default"] if self._factory is None else self._factory()


def key(description: str, *examples: object, **settings: Any) -> Any:
    """Return a key of a mapping; `settings` are its default and bounds, if any."""
    return FormKey(description, [*examples], settings)


def flag(description: str, *, example: bool, default: bool | None) -> Any:
    """Return a boolean key."""
    return key(description, example, default=default)


def optional(description: str, *examples: object, **settings: Any) -> Any:
    """Return a key whose default is None."""
    return key(description, *examples, default=None, **settings)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Form:
    """The base of all mappings in a suite: unknown keys and wrong types are mistakes.

    A pydantic model made from the class checks data of files. Values passed to the class itself
    must already be valid.
    """

    called: ClassVar[str] = ""
    """Its name in messages: `a group`."""
    form_keys: ClassVar[Mapping[str, FormKey]] = {}
    _config: ClassVar[Mapping[str, Any]] = {}
    given_keys: ClassVar[frozenset[str]] = frozenset()
    """The keys that were given; set on each instance."""

    def __init_subclass__(cls, **config: Any) -> None:
        """Collect the keys of the class in `form_keys`; `config` is for the pydantic model."""
        super().__init_subclass__()
        cls._config = {**cls._config, **config}
        own = {}
        for name, annotation in vars(cls).get("__annotations__", {}).items():
            # Annotations are texts here, because of `from __future__ import annotations`.
            if not str(annotation).startswith("ClassVar"):
                own[name] = _form_key(vars(cls).get(name, ...))
                if name in vars(cls):
                    # A FormKey left on the class would be found where an instance has no value.
                    delattr(cls, name)
        cls.form_keys = {**cls.form_keys, **own}

    def __init__(self, **values: Any) -> None:
        """Make a form of valid `values`; other keys get their defaults."""
        own = vars(self)
        # Through vars(), as `__setattr__` refuses every assignment.
        for name, each in self.form_keys.items():
            if name in values:
                own[name] = values[name]
            elif each.is_required:
                raise TypeError(f"{type(self).__name__} needs {name}")
            else:
                own[name] = each.default(own)
        if unknown := values.keys() - own.keys():
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        # Types are left to mypy here; data from outside goes through `checked`.
        own[_GIVEN] = frozenset(values)

    @classmethod
    def checked(cls, data: object, context: Mapping[str, object] | None = None) -> Self:
        """Return the form in `data` of a file; raises pydantic's `ValidationError`.

        The `context` says where named code files are read from.
        """
        form: Self = _adapter(cls).validate_python(data, context=context)
        return form

    @classmethod
    def with_keys(cls, **keys: tuple[Any, Any]) -> type[Self]:
        """Return a subclass with added or replaced keys, each given as type and key."""
        types = {name: annotation for name, (annotation, _) in keys.items()}
        body = {name: each for name, (_, each) in keys.items()}
        inherited = {"__module__": cls.__module__, "__doc__": cls.__doc__}
        form: type[Self] = type(
            cls.__name__, (cls,), {"__annotations__": types, **inherited, **body}
        )
        return form

    @classmethod
    def prepared(cls, data: Any) -> Any:
        """Return `data` of a file, changed before its keys are checked."""
        return data

    def complete(self) -> None:
        """Raise `Refusal` if keys contradict each other."""

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Yield each key with its value."""
        own = vars(self)
        return ((name, own[name]) for name in self.form_keys)

    def changed(self, **values: Any) -> Self:
        """Return a copy with these `values`, which are not checked.

        Cached properties are not copied.
        """
        # Skips __init__, which would apply defaults and reset the given keys.
        copied = object.__new__(type(self))
        vars(copied).update(self, **values)
        vars(copied)[_GIVEN] = self.given_keys | values.keys()
        return copied

    def into(self, form: type[_F], **values: Any) -> _F:
        """Return a `form` of another class with the values of this one, and these `values`."""
        made = form(**dict(self) | values)
        vars(made)[_GIVEN] = self.given_keys
        return made

    def as_written(self) -> dict[str, Any]:
        """Return the given keys and values as plain data."""
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
        """Return the schema that validates with the model and converts to the form."""
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


def _form_key(value: object) -> FormKey:
    """Return the key for the class attribute `value`; `...` means no attribute."""
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
    """Return the annotated type of each key of `form`."""
    hints = get_type_hints(form, include_extras=True)
    return {name: hints[name] for name in form.form_keys}


_MODELS: Final[dict[type[Form], type[BaseModel]]] = {}
_ADAPTERS: Final[dict[type[Form], TypeAdapter[Any]]] = {}


def _model(form: type[Form]) -> type[BaseModel]:
    """Return the cached pydantic model of `form`."""
    if form in _MODELS:
        return _MODELS[form]
    from pydantic import Field, create_model  # noqa: PLC0415 - see the top

    keys: dict[str, Any] = {}
    for name, annotation in annotations_of(form).items():
        each = form.form_keys[name]
        settings: dict[str, Any] = {"examples": each.examples or None, **each.settings}
        keys[name] = annotation, Field(description=each.description or None, **settings)
    # Built at first use: building all models took most of the start of a command.
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
    """Return the JSON Schema of a `form`, made by a pydantic `generator` class."""
    schema: dict[str, Any] = _adapter(form).json_schema(schema_generator=generator)
    return schema


def parsed_by(parse: Callable[[str], object]) -> _Text:
    """Return the annotation of a text that is stored as the result of `parse`."""
    return _Text(parse)


class _Text(ParsedBy):
    """A parser of text with any result type."""

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema that validates text and then parses it."""
        return super().__get_pydantic_core_schema__(str, handler)


class KeptAsWritten:
    """Annotation of data that is checked against `form`, but kept as written."""

    def __init__(self, form: type[Form]) -> None:
        """Check against `form`."""
        self.form: Final = form

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema of `form` with the unchanged data as its result."""
        from pydantic_core import core_schema  # noqa: PLC0415 - see the top

        return core_schema.no_info_wrap_validator_function(_checked, handler(self.form))


def _checked(data: object, validate: Callable[[object], object]) -> object:
    validate(data)
    return data


class _Word:
    """Annotation of a text that must be a member of an enumeration."""

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
    """Return the annotation of a text that is one of `words`, or only one of `allowed`."""
    return _Word(words, allowed)


def _read_from_folder(path: str, info: ValidationInfo) -> str:
    """Return the code in the file at `path`, or `path` itself if the context has no folder.

    Files packed in the suite come first.
    """
    texts.source_path(path)
    context = info.context or {}
    if path in (packed := context.get("packed", {})):
        return as_code(packed[path], path)
    folder = context.get("folder")
    return path if folder is None else read_code(Path(folder), path)


def pattern_of(pattern: str) -> object:
    """Return a `pattern` for editors; validation is left to the parsers."""
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
"""The author's code, in a file that the suite names."""
Items: TypeAlias = Annotated[tuple[_T, ...], Bounded(strict=False)]
"""A list in the file, stored as a tuple."""
FileName: TypeAlias = Annotated[
    str, parsed_by(texts.file_name), pattern_of(texts.FILE_NAME_PATTERN)
]
PackedName: TypeAlias = Annotated[str, parsed_by(texts.remark), pattern_of(texts.FILE_NAME_PATTERN)]
"""The path of a packed file as the suite writes it; it may be outside the suite's folder."""
StepCode: TypeAlias = Annotated[Code, parsed_by(parse_code)]
Observer: TypeAlias = Annotated[Code, parsed_by(parse_observer)]
AcceptsCode: TypeAlias = Annotated[Code, parsed_by(parse_accepts)]
WebAddress: TypeAlias = Annotated[
    str, parsed_by(texts.web_address), pattern_of(texts.ADDRESS_PATTERN)
]
MailAddress: TypeAlias = Annotated[
    str, parsed_by(texts.mail_address), pattern_of(texts.MAIL_PATTERN)
]
Stopped: TypeAlias = Annotated[str, parsed_by(texts.stopped), pattern_of(texts.STOPPED_PATTERN)]
Moment: TypeAlias = Annotated[str, parsed_by(texts.moment), pattern_of(texts.MOMENT_PATTERN)]
Sha256: TypeAlias = Annotated[str, parsed_by(texts.sha256), pattern_of(texts.SHA256_PATTERN)]
MutantName: TypeAlias = Annotated[str, parsed_by(texts.mutant), pattern_of(texts.MUTANT_PATTERN)]
