"""Idle stand-ins for what Jupyter and Colab provide in a notebook.

Cells can use `display(x)` and `get_ipython()` without an import. The objects that these return, and
modules that matter only in notebooks, support any operation and do nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final, Self

INERT_PACKAGES: Final = frozenset({"IPython", "google", "ipywidgets", "otter"})
"""Modules that matter only in notebooks."""


class InertModule(ModuleType):
    """A module, or an object in one. Its attributes and results are idle objects, too."""

    __all__: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> InertModule:
        """Return another inert object.

        Raises `AttributeError` for dunder names, because Python itself looks them up.
        """
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return InertModule(f"{self.__name__}.{name}")

    def __call__(self, *args: object, **_kwargs: object) -> object:
        """Return the decorated function if called as a decorator, and otherwise this object."""
        return args[0] if args and type(args[0]) is FunctionType else self

    def __len__(self) -> int:
        """Return 0."""
        return 0

    def __getitem__(self, _key: object) -> Self:
        """Return itself for any key."""
        return self

    def __iter__(self) -> Iterator[object]:
        """Yield nothing."""
        return iter(())

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_raised: object) -> None:
        """Do nothing."""


_USES: Final = "add radd sub rsub mul rmul truediv rtruediv mod pow neg lt le gt ge"
for _use in _USES.split():
    setattr(InertModule, f"__{_use}__", InertModule.__call__)


def inert_module(name: str, star_names: Iterable[str]) -> InertModule:
    """Return an idle module called `name`, from which a star import binds `star_names`."""
    module = InertModule(name)
    module.__dict__["__all__"] = tuple(attribute for attribute in star_names if attribute != "*")
    return module


def names_for_cells() -> dict[str, Any]:
    """Return the values that cells can use without an import, keyed by name."""
    ipython = InertModule("ipython")
    history = dict.fromkeys(("In", "Out", "_", "__", "___", "_i", "_ii", "_iii"), ipython)
    return {"display": idle_display, "get_ipython": lambda: ipython, **history}


def idle_display(*_args: object, **_kwargs: object) -> None:
    """Do nothing. Stands in for `display` in notebooks, and for `help` in any file."""
