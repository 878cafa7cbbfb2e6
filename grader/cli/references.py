"""Where the references of exercises lie, for the verbs that need one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

_BESIDE_PACKAGE: Final = Path(__file__).resolve().parents[2] / "reference"

reference_option = click.option(
    "--reference",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder of the exercise's reference. Default: the one beside the package.",
)


def reference_folder(exercise: str, named: Path | None) -> Path:
    """Return the folder of the reference of `exercise`: the one that was `named`, or our own.

    Code in it may be run, so none is looked for in the current folder, which may be a hand-in.
    """
    return named if named is not None else _BESIDE_PACKAGE / exercise
