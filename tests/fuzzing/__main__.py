"""Fuzzes what reads the replies of executors, and says what came of it; see `fuzzing`."""

from __future__ import annotations

import secrets
import sys
import time
from pathlib import Path
from typing import Final

import click

from fuzzing.campaign import Failure, Input, Tally, inputs, run
from fuzzing.delivery import Liar

_PROGRESS_S: Final = 1.0


@click.command(help=__doc__)
@click.option("--minutes", type=click.FloatRange(min=0), default=1.0, show_default=True)
@click.option("--seed", type=int, help="The same seed gives the same sessions. Default: any.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("reports"),
    show_default=True,
    help="Where the bytes are kept that did harm.",
)
def main(minutes: float, seed: int | None, out: Path) -> None:
    """Run until the time is up or something goes wrong."""
    seed = secrets.randbelow(1 << 32) if seed is None else seed
    tally = Tally()
    try:
        with Liar() as liar:
            _run_for(60 * minutes, tally, liar, seed)
    except Failure as failure:
        path = _saved(failure.input, seed, out)
        click.echo(f"FAILED: {failure}\nseed {seed}; the replies are in {path}", err=True)
        sys.exit(1)
    finally:
        print(f"seed      {seed:>9}", *tally.lines(), sep="\n")


def _run_for(seconds: float, tally: Tally, liar: Liar, seed: int) -> None:
    start_s = shown_s = time.monotonic()
    for each in inputs(seed):
        run(tally, liar, each)
        now_s = time.monotonic()
        if now_s - shown_s >= _PROGRESS_S and sys.stderr.isatty():
            shown_s = now_s
            print(f"\r{now_s - start_s:5.0f} s  {tally.inputs} inputs", end="", file=sys.stderr)
        if now_s - start_s >= seconds:
            return


def _saved(guilty: Input, seed: int, out: Path) -> Path:
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"fuzz-{seed}-{guilty.number}.bin"
    path.write_bytes(guilty.saved())
    return path


if __name__ == "__main__":
    main(prog_name="scripts/fuzz_replies")
