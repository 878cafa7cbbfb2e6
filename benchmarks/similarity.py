"""How many planted copies are found among the most alike pairs of a class, by disguise.

Run: python benchmarks/similarity.py FOLDER [--fill FOLDER] [--count N] [--planted N] [--seeds N]
                                     [--dolos FOLDER]

FOLDER has programs that have nothing to do with each other, a file each: variants of one program
are copies already, and would count as mistakes. Of N that are drawn, some are copied in disguise
over others; where there are fewer, the rest of the class comes from the folder of --fill, of which
nothing is copied. Precision and recall are those among the K most alike pairs, for K copies, and
the recall as long as 95 % of what is listed are copies. With --dolos the same classes are given to
Dolos, of which `node_modules` in that folder has `@dodona/dolos-lib`. With --cost it is measured
what N programs cost that are put together of functions of all of these.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import resource
import subprocess
import sys
import time
from array import array
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from disguises import DISGUISES, disguised

from grader.plugins.similarity.comparing import compare_programs
from grader.plugins.similarity.fingerprints import read_all
from grader.plugins.similarity.reader import compute_fingerprint

_PRECISION: Final = 0.95
_FUNCTIONS: Final = 8
"""Of a program that is put together to measure time: about what a hand-in has."""
_LEAST_STATEMENTS: Final = 15
"""Nobody need copy a program that is shorter."""
_DOLOS: Final = """
import { Dolos, File } from "@dodona/dolos-lib";
import { readFileSync } from "node:fs";
const texts = JSON.parse(readFileSync(0, "utf8"));
const dolos = new Dolos({ language: "python" });
const files = texts.map((text, place) => new File(`${place}.py`, text));
const report = await dolos.analyze(files);
const pairs = report.allPairs().filter((pair) => pair.similarity > 0.1);
pairs.sort((a, b) => b.similarity - a.similarity);
const place = (file) => Number(file.path.replace(".py", ""));
const found = pairs.slice(0, 2000).map((p) => [place(p.leftFile), place(p.rightFile)]);
console.log(JSON.stringify(found));
"""

Pair: TypeAlias = tuple[int, int]


class Planted(NamedTuple):
    """A class, and the pairs in it that are copies."""

    texts: list[str]
    copies: set[Pair]


@cache
def prints(text: str) -> tuple[array[int], int]:
    """Return the fragments of a program, and how many statements it has."""
    told = compute_fingerprint((("program.py", text),))
    fragments, statements = told["fragments"], told["statements"]
    assert isinstance(fragments, list)
    assert isinstance(statements, int)
    return array("Q", [each[0] for each in fragments]), statements


def programs(folder: Path) -> list[str]:
    """Return the programs in `folder` that Python can read, each text once."""
    texts = dict.fromkeys(
        path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob("*.py"))
    )
    return [text for text in texts if _is_python(text)]


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def planted(
    own: Sequence[str],
    fill: Sequence[str],
    count: int,
    copies: int,
    names: Sequence[str],
    seed: int,
) -> Planted:
    """Return a class of `count`, with so many `copies` in the disguises with these names."""
    chance = random.Random(seed)
    texts = chance.sample(list(own), min(count, len(own)))
    originals = [place for place, text in enumerate(texts) if prints(text)[1] >= _LEAST_STATEMENTS]
    originals = chance.sample(originals, copies)
    texts += chance.sample(list(fill), min(len(fill), count - len(texts)))
    free = [place for place in range(len(texts)) if place not in originals]
    found = set()
    for place, other in zip(originals, free[-copies:], strict=True):
        texts[other] = disguised(texts[place], names, seed)
        found.add((min(place, other), max(place, other)))
    return Planted(texts, found)


def ours(texts: Sequence[str]) -> list[Pair]:
    """Return the pairs as we order them."""
    return [
        (each.first, each.second)
        for each in compare_programs([prints(text)[0] for text in texts]).pairs
    ]


def of_dolos(texts: Sequence[str], folder: Path) -> list[Pair]:
    """Return the pairs as Dolos orders them."""
    script = folder / "compare.mjs"
    script.write_text(_DOLOS, encoding="utf-8")
    done = subprocess.run(
        ["node", script.name],
        cwd=folder,
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    return [(min(pair), max(pair)) for pair in json.loads(done.stdout)]


def recalls(ranked: Sequence[Pair], copies: set[Pair]) -> tuple[float, float]:
    """Return the recall among as many pairs as there are copies, and that at the precision."""
    top = sum(pair in copies for pair in ranked[: len(copies)])
    found = best = 0
    for number, pair in enumerate(ranked[: 2 * len(copies)], start=1):
        found += pair in copies
        if found >= _PRECISION * number:
            best = found
    return top / len(copies), best / len(copies)


def _rows(asked: argparse.Namespace) -> Iterator[str]:
    own = programs(asked.folder)
    fill = programs(asked.fill) if asked.fill else []
    for name in (*DISGUISES, "all nine"):
        names = [name] if name in DISGUISES else list(DISGUISES)
        told = []
        for finds in ("ours", "dolos") if asked.dolos else ("ours",):
            tops, bests = [], []
            for seed in range(asked.seeds):
                made = planted(own, fill, asked.count, asked.planted, names, seed)
                by = ours(made.texts) if finds == "ours" else of_dolos(made.texts, asked.dolos)
                top, best = recalls(by, made.copies)
                tops.append(top)
                bests.append(best)
            mean = [sum(each) / asked.seeds for each in (tops, bests)]
            told.append(f"{finds} {mean[0]:4.0%} {mean[1]:4.0%}")
        yield f"{name:<10} {'   '.join(told)}"


def _put_together(asked: argparse.Namespace) -> list[str]:
    """Return as many programs as were asked for, each of functions from all over the folders."""
    texts = programs(asked.folder) + (programs(asked.fill) if asked.fill else [])
    functions = sorted(
        ast.unparse(node)
        for text in texts
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    )
    chance = random.Random(1)
    return ["\n\n".join(chance.choices(functions, k=_FUNCTIONS)) for _ in range(asked.count)]


def _cost(asked: argparse.Namespace) -> Iterator[str]:
    texts = _put_together(asked)
    lines = sum(text.count("\n") for text in texts) // len(texts)
    start_s = time.perf_counter()
    made = [each.hashes for each in read_all([[("program.py", text)] for text in texts])]
    read_s = time.perf_counter()
    compare_programs(made)
    end_s = time.perf_counter()
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    yield (
        f"{len(texts)} programs of about {lines} lines: read by executors in"
        f" {read_s - start_s:.1f} s ({children.ru_utime:.1f} s of computing),"
        f" compared in {end_s - read_s:.1f} s, at most {peak_mib} MiB"
    )


def main() -> None:
    """Print a row for each disguise: the recall among the top K, and that at 95 % precision."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fill", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--planted", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--dolos", type=Path)
    parser.add_argument("--cost", action="store_true", help="measure time and memory only")
    asked = parser.parse_args()
    sys.setrecursionlimit(5_000)
    for row in _cost(asked) if asked.cost else _rows(asked):
        print(row, flush=True)


if __name__ == "__main__":
    main()
