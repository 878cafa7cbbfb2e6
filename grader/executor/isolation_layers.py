"""The layers of isolation around a submission, and the levels that they add up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Final

CORE_IN_NAMESPACES: Final = 3
CORE_WITH_LANDLOCK: Final = 2
CORE: Final = 1
NO_ISOLATION: Final = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IsolationLayers:
    """The layers of isolation that are in force between a submission and the host.

    Every report prints them.
    """

    no_new_privs: bool
    """Executing a program cannot add privileges."""
    uid_dropped: bool
    """The process was started as root, and now has the uid, gid and groups of nobody. False for an
    ordinary user, whose processes keep the uid of the judge."""
    seccomp: bool
    """The zygote filter refused a call when it was tested."""
    landlock_abi: int
    """The version of Landlock, or 0 if the kernel lacks it."""
    namespaces: bool
    """Executors see an empty root and no network, whatever system call they use."""
    rlimits: bool
    """Limits on memory, CPU, processes and files."""
    parent_death_signal: bool
    """The zygote dies with the judge, an executor with its zygote."""

    @property
    def level(self) -> int:
        """The level of isolation, from 0 to 3.

        It is 3 for the core layers in namespaces, 2 for the core layers with Landlock, and 1 for
        the core layers alone. Without the seccomp filter there is no isolation: Landlock does not
        cover metadata, sockets other than TCP, or signals before ABI 6, and namespaces leave the
        whole kernel reachable.
        """
        if not (self.seccomp and self.no_new_privs and self.rlimits):
            return NO_ISOLATION
        if self.namespaces:
            return CORE_IN_NAMESPACES
        return CORE_WITH_LANDLOCK if self.landlock_abi else CORE

    def to_json(self) -> dict[str, bool | int]:
        """Return the layers as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: object) -> IsolationLayers:
        """Return the layers that `data` describes, or raise ValueError if it is malformed.

        See `to_json` for the format.
        """
        names = [field.name for field in fields(cls)]
        if not isinstance(data, Mapping) or set(data) != set(names):
            raise ValueError(
                f"malformed description of isolation layers: {data!r:.200}; it must be a mapping"
                f" with exactly the keys {', '.join(names)}"
            )
        for field in fields(cls):
            expected = int if field.name == "landlock_abi" else bool
            if type(data[field.name]) is not expected:
                raise ValueError(
                    f"isolation layer {field.name} must be of type {expected.__name__}, not"
                    f" {data[field.name]!r:.40}"
                )
        return cls(**data)


NO_LAYERS: Final = IsolationLayers(
    no_new_privs=False,
    uid_dropped=False,
    seccomp=False,
    landlock_abi=0,
    namespaces=False,
    rlimits=False,
    parent_death_signal=False,
)
