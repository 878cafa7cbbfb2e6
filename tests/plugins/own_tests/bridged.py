"""Both ends of a bridge in one process, with what would travel between them in between."""

from __future__ import annotations

import json
import marshal
import pickle
from collections.abc import Callable
from typing import Any

from grader.plugins.own_tests.bridge.hosts import Host, Message
from grader.plugins.own_tests.bridge.operations import OPERATIONS
from grader.plugins.own_tests.bridge.proxies import RemoteReference
from grader.plugins.own_tests.bridge.side import BridgeSide


class End(Host):
    """One end, which may do everything."""

    def __init__(self) -> None:
        self.side = BridgeSide(self)
        self.other: End
        self.sent: list[Message] = []
        self.by_json = False

    def exchange(self, message: Message) -> Message:
        """Have the other side serve `message` at once."""
        self.sent.append(message)
        if self.by_json:
            travelled = json.loads(json.dumps(message))
        else:
            travelled = marshal.loads(marshal.dumps(message))
        answer = self.other.side.serve(travelled)
        return json.loads(json.dumps(answer)) if not self.by_json else answer

    def operation(self, name: str) -> Callable[..., Any]:
        """Return the act."""
        acts: dict[str, Any] = {**OPERATIONS, "pickle": pickle.dumps, "unpickle": pickle.loads}
        act: Callable[..., Any] = acts[name]
        return act

    def is_current(self, place: RemoteReference) -> bool:
        """Say whether it is of now."""
        return place.process in {0, self.side.process}


class Bridged:
    """The names of a program on one side, as the other side finds them."""

    def __init__(self, source: str) -> None:
        """Run `source` on the far side."""
        self.near, self.far = End(), End()
        self.near.other, self.far.other = self.far, self.near
        self.far.by_json = True
        self.names: dict[str, Any] = {"__name__": "far"}
        exec(source, self.names)
        getter = self.names.__getitem__
        key = self.far.side.tables.key_for(getter)

        def proxy() -> None:
            """Stand for `getter`; never run."""

        self.near.side.tables.add_remote(key, proxy, is_copy=True)
        self._getter = proxy

    def __getattr__(self, name: str) -> Any:
        return self.near.side.request("call", self._getter, (name,), ())
