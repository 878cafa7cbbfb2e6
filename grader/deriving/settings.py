"""The settings of a derivation: what a spec does not say itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SETTINGS_NAME: Final = "exercise.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What stands in `exercise.yaml`."""

    exercise: str
    title: str
    language: str
    module: str
    defines: tuple[str, ...]
    files: Mapping[str, str]


def load_settings(path: Path) -> Settings:
    import yaml

    d = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Settings(
        exercise=d["exercise"],
        title=d["title"],
        language=d["language"],
        module=d["module"],
        defines=tuple(d["defines"]),
        files=d.get("files", {}),
    )
