"""What Jupyter and Colab give a notebook, as idle stand-ins: nobody looks at what is displayed.

In a cell `display(x)` and `get_ipython()` are there without an import; what comes back of them, or
of a module that has to do with notebooks only, can be used in any way and does nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final, Self

IDLE: Final = frozenset({"IPython", "google", "ipywidgets", "otter"})
"""Modules that notebooks import, and that matter to nobody else."""


class Idle(ModuleType):
    """A module, or whatever is in it: what is asked of it is idle too."""

    __all__: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Idle:
        """Return a part; Python looks in vain for names of its own."""
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Idle(f"{self.__name__}.{name}")

    def __call__(self, *given: object, **_named: object) -> object:
        """Do nothing; a function that it decorates stays what it is."""
        return given[0] if given and type(given[0]) is FunctionType else self

    def __len__(self) -> int:
        """Hold nothing."""
        return 0

    def __getitem__(self, _key: object) -> Self:
        """Hold whatever is looked for."""
        return self

    def __iter__(self) -> Iterator[object]:
        """Yield nothing."""
        return iter(())

    def __enter__(self) -> Self:
        """Do nothing."""
        return self

    def __exit__(self, *_raised: object) -> None:
        """Do nothing."""


_USES: Final = "add radd sub rsub mul rmul truediv rtruediv mod pow neg lt le gt ge"
for _use in _USES.split():
    setattr(Idle, f"__{_use}__", Idle.__call__)


def idle_module(name: str, wanted: Iterable[str]) -> Idle:
    """Return what stands for the module called `name`; `wanted` is imported from it with a star."""
    module = Idle(name)
    module.__dict__["__all__"] = tuple(each for each in wanted if each != "*")
    return module


def given_to_cells() -> dict[str, Any]:
    """Return what cells have without an import."""
    ipython = Idle("ipython")
    cells = dict.fromkeys(("In", "Out", "_", "__", "___", "_i", "_ii", "_iii"), ipython)
    return {"display": idle_display, "get_ipython": lambda: ipython, **cells}


def idle_display(*_args: object, **_named: object) -> None:
    """Stand in for `display`, and for `help` anywhere."""
