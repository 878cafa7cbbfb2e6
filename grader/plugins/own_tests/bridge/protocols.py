"""What `isinstance(value, P)` finds of a proxy, where `P` is a protocol that looks at run time.

From Python 3.12 on `typing` reads an object's names without asking the object, and those of a proxy
are elsewhere.
"""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any, Final

from grader.plugins.own_tests.bridge.proxies import is_proxy

_LOADER: Final = "_lazy_load_getattr_static"


def look_up_there() -> Callable[[], None]:
    """Have protocols ask proxies for what they look for; return what puts an end to it."""
    loader = vars(typing).get(_LOADER)
    if loader is None:  # before Python 3.12 they ask
        return lambda: None

    def looked_up(value: Any, name: str) -> Any:
        return getattr(value, name) if is_proxy(value) else loader()(value, name)

    def undo() -> None:
        setattr(typing, _LOADER, loader)

    setattr(typing, _LOADER, lambda: looked_up)
    return undo
