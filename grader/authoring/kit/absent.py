"""As much of pydantic as a kit needs: forms that hold what was checked when the kit was made."""

import copy

__all__ = ["BaseModel", "Field"]


class _Field:
    def __init__(self, settings):
        self.settings = settings

    def value(self):
        """Return what a form has where nothing is given."""
        if "default_factory" in self.settings:
            return self.settings["default_factory"]()
        return self.settings.get("default")


def Field(*args, **settings):
    """Return a field with a default, if there is one."""
    return _Field(dict(settings, default=args[0]) if args else settings)


class BaseModel:
    """A form; nothing of it is checked again."""

    def __init_subclass__(cls, **_settings):
        """Take note of the fields."""
        super().__init_subclass__()
        inherited = dict(getattr(cls, "model_fields", {}))
        for name in cls.__dict__.get("__annotations__", {}):
            default = cls.__dict__.get(name)
            inherited[name] = (
                default if isinstance(default, _Field) else _Field({"default": default})
            )
        cls.model_fields = inherited

    def __init__(self, **fields):
        """Hold these fields, and the defaults of the others."""
        for name, field in type(self).model_fields.items():
            self.__dict__[name] = fields[name] if name in fields else field.value()

    def __copy__(self):
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def model_copy(self, update=None):
        """Return a copy with some fields changed."""
        copied = copy.copy(self)
        copied.__dict__.update(update or {})
        return copied

    def _content(self):
        return tuple(self.__dict__.get(name) for name in type(self).model_fields)

    def __eq__(self, other):
        return type(self) is type(other) and self._content() == other._content()

    def __hash__(self):
        return hash(self._content())


def _unchanged(*_args, **_settings):
    return lambda function: function


class _Anything:
    def __init__(self, *_args, **_settings):
        """Take whatever is given."""

    def __class_getitem__(cls, _item):
        return cls


class ValidationError(ValueError):
    """Never raised: what is in a kit has been checked."""


field_validator = model_validator = field_serializer = _unchanged


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _Anything
