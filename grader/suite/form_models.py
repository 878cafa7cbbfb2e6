"""Creates the pydantic models of forms.

Models are created at first use, and pydantic is imported only then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, get_type_hints

if TYPE_CHECKING:  # most suites come from the cache, which needs no pydantic
    from pydantic import BaseModel, TypeAdapter

    from grader.suite.fields import Form


def form_annotations(form: type[Form]) -> Mapping[str, Any]:
    """Return the annotated types of the keys of `form`, keyed by name."""
    hints = get_type_hints(form, include_extras=True)
    return {name: hints[name] for name in form.form_keys}


_MODELS: Final[dict[type[Form], type[BaseModel]]] = {}
_ADAPTERS: Final[dict[type[Form], TypeAdapter[Any]]] = {}


def form_model(form: type[Form]) -> type[BaseModel]:
    """Return the pydantic model of `form`, which is created and cached at first use."""
    if form in _MODELS:
        return _MODELS[form]
    from pydantic import Field, create_model  # noqa: PLC0415 - see the top

    keys: dict[str, Any] = {}
    for name, annotation in form_annotations(form).items():
        form_key = form.form_keys[name]
        settings: dict[str, Any] = {"examples": form_key.examples or None, **form_key.settings}
        keys[name] = annotation, Field(description=form_key.description or None, **settings)
    # `defer_build`, as building all models took most of the start-up time of a command.
    config: Any = {"extra": "forbid", "strict": True, "defer_build": True, **form.model_config}
    _MODELS[form] = create_model(
        form.__name__, __config__=config, __doc__=form.__doc__, __module__=form.__module__, **keys
    )
    return _MODELS[form]


def form_adapter(form: type[Form]) -> TypeAdapter[Any]:
    """Return the pydantic adapter that validates data as a `form`; it is cached at first use."""
    if form not in _ADAPTERS:
        from pydantic import TypeAdapter  # noqa: PLC0415 - see the top

        _ADAPTERS[form] = TypeAdapter(form)
    return _ADAPTERS[form]


def form_json_schema(form: type[Form], generator: type[Any]) -> dict[str, Any]:
    """Return the JSON Schema of `form`; `generator` is the class that creates it for pydantic."""
    schema: dict[str, Any] = form_adapter(form).json_schema(schema_generator=generator)
    return schema
