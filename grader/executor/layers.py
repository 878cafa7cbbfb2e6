"""Which walls stand between a submission and the host: a value that every report prints."""

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
    """The layers that are in force, as the zygote found when it locked itself."""

    no_new_privs: bool
    """No program can give privileges back."""
    uid_dropped: bool
    """Started as root and now nobody, in uid, gid and groups. An ordinary user has nothing to
    drop: False, with the uid of the judge."""
    seccomp: bool
    """The zygote filter was seen to refuse."""
    landlock_abi: int
    """0 where the kernel has no Landlock."""
    namespaces: bool
    """Executors see an empty root and no network, whatever call they look by."""
    rlimits: bool
    """Memory, CPU, processes, files."""
    parent_death_signal: bool
    """The zygote dies with the judge, an executor with its zygote."""

    @property
    def level(self) -> int:
        """Return 3 for the core in namespaces, 2 with Landlock, 1 for the core alone, 0 for none.

        Landlock without the filter is no isolation: it does not cover metadata, sockets other
        than TCP, or signals before ABI 6. Namespaces without it leave the whole kernel in reach.
        """
        if not (self.seccomp and self.no_new_privs and self.rlimits):
            return NO_ISOLATION
        if self.namespaces:
            return CORE_IN_NAMESPACES
        return CORE_WITH_LANDLOCK if self.landlock_abi else CORE

    def to_json(self) -> dict[str, bool | int]:
        """Return a plain dictionary for the wire."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: object) -> IsolationLayers:
        """Read what `to_json` wrote; raise ValueError for anything else."""
        if not isinstance(data, Mapping) or set(data) != {field.name for field in fields(cls)}:
            raise ValueError(f"not a description of layers: {data!r:.200}")
        for field in fields(cls):
            expected = int if field.name == "landlock_abi" else bool
            if type(data[field.name]) is not expected:
                raise ValueError(f"{field.name} is not {expected.__name__}: {data!r:.200}")
        return cls(**data)


NONE: Final = IsolationLayers(
    no_new_privs=False,
    uid_dropped=False,
    seccomp=False,
    landlock_abi=0,
    namespaces=False,
    rlimits=False,
    parent_death_signal=False,
)
