"""Scenes about cells and straights."""

from __future__ import annotations

from collections.abc import Iterator

from grader.plugins.authoring.generating import Scene

from .boards import DIGITS, LETTERS, WHITE
from .drawing import Drawing

CELLS = (
    ("str({})", "Cel: symbool", DIGITS + LETTERS + ".#"),
    ("str({})", "str(Cel): symbool", DIGITS + LETTERS + ".#"),
    ("{}.isgekleurd()", "isgekleurd: kleur", DIGITS + LETTERS + ".#"),
    ("{}.cijfer()", "cijfer: cijfer", DIGITS + LETTERS),
    ("{}.cijfer()", "cijfer: geen", ".#"),
)
"""What is asked of cells, for which clause, and of which signs."""
SIGNS = (DIGITS + LETTERS + ".#", DIGITS + LETTERS, ".#")


class CellScenes(Drawing):
    """The scenes about `Cel` and `isstraat`."""

    def cells(self) -> Iterator[Scene]:
        """Yield what a cell tells of itself."""
        for asked, clause, signs in CELLS:
            shuffled = self.draws.shuffled(signs)
            kinds = {(sign in WHITE, sign in ".#"): sign for sign in shuffled}
            for sign in kinds.values() if self.small else shuffled[:1]:
                made = f"cel = Cel({sign!r})"
                code = asked.format("cel" if self.small else f"Cel({sign!r})")
                yield self.scene("Een cel", *[made] * self.small, f"{code}  # {clause}")
        yield from self.some_cells() if self.small else [self.all_cells()]

    def all_cells(self) -> Scene:
        """Return what each cell tells of itself, twice, when there are others."""
        made = [f"cellen{len(signs)}_ = [Cel(s) for s in {signs!r}]" for signs in SIGNS]
        refused = "try:\n...     Cel('?')\n... except Exception:\n...     pass"
        code = "[{} for cel in 2 * cellen{}_]  # {}"
        return self.scene(
            "Cellen",
            *self.at_once(*made, refused),
            *(
                code.format(asked.format("cel"), len(signs), clause)
                for asked, clause, signs in CELLS
            ),
        )

    def some_cells(self) -> Iterator[Scene]:
        """Yield what one cell tells of itself when there is another one."""
        for asked, clause, signs in CELLS:
            for others in (DIGITS, LETTERS, ".#"):
                one, other = self.draws.choice(signs), self.draws.choice(others)
                code = f"{asked.format('cel')}  # {clause}"
                made = (f"cel = Cel({one!r})", f"andere = Cel({other!r})")
                yield self.scene("Twee cellen", *made, code)
            for sign in signs[:1], signs[-3:-2] or signs[1:]:
                made = (f"cel = Cel({sign!r})", asked.format("cel"))
                yield self.scene("Twee keer", *made, code)
            each = asked.format("Cel(teken)")
            yield self.scene("Elke cel", f"[{each} for teken in {signs!r}]  # {clause}")

    def no_symbols(self) -> Iterator[Scene]:
        """Yield what is no symbol of a cell."""
        draws = self.draws
        pair = "".join(draws.some(DIGITS + LETTERS + ".#", 2))
        run = draws.below(7)
        letters = [draws.choice("KLMNOPQRSTUVWYZ"), draws.choice("abcdefghi")]
        others = ["?", "-", *letters] if self.small else [*draws.some("?-*/;!+_", 1), *letters]
        for clause, symbols in (
            ("ander karakter", ["0", "J", " ", ":", "@", *others]),
            (
                "niet \u00e9\u00e9n karakter",
                ["", DIGITS[run : run + 2], LETTERS[run : run + 3], "..", pair, f"{pair[0]}\n"],
            ),
        ):
            for symbol in symbols:
                code = f"Cel({symbol!r})" if self.small else f"str(Cel({symbol!r}))"
                yield self.scene("Geen symbool", f"{code}  # Cel: {clause}")

    def straights(self) -> Iterator[Scene]:
        """Yield numbers that are straights, and numbers that are not."""
        for clause, groups in self.straights_and_others().items():
            for numbers in groups:
                if self.small:
                    codes = [f"isstraat({number})" for number in numbers]
                else:
                    codes = [f"[isstraat(n) for n in ({', '.join(numbers)},)]"]
                for code in codes:
                    yield self.scene("Een straat of niet", f"{code}  # isstraat: {clause}")
        one, other = self.alike()
        code = f"isstraat({other})  # isstraat: dubbel cijfer"
        yield self.scene("Een straat of niet", f"isstraat({one})", code)

    def alike(self) -> tuple[str, str]:
        """Return a straight, and a number that has the same digits, one of them twice."""
        one = self.straight(3)
        return one, self.mixed(one + self.draws.choice(one))

    def straights_and_others(self) -> dict[str, list[list[str]]]:
        """Return numbers for each clause about straights, those together that are asked so."""
        draws = self.draws
        one, two, three, four, five = [*DIGITS[draws.between(1, 4) :][:5]]
        gaps = (one + three, one + two + four, one + three + four, one + two + four + five)
        straights = [self.straight(length) for length in ((2, 3) if self.small else (2, 4, 5, 7))]
        straights.append(self.mixed(DIGITS[: 2 if self.small else 4]))
        doubles = (one + one, one + one + two, one + one + three, one + two + two + three)
        even = (one + one + four + four, one + two + two + four, one + three + three + four)
        nines = ("19", "79", "189", "1289", f"{draws.between(2, 6)}9")
        whole = self.mixed(DIGITS)
        long = (
            whole[:7] + whole[0],
            whole[:8] + whole[4],
        )  # who tries all orders is slow, and right
        zeros = ("10", f"{two}0{one}", "2103", f"{three}{two}0{one}", self.mixed("012"))
        ends = (f"{one}0", f"{two}{one}0", "3120", f"{one}00", f"{two}0{two}")
        return {
            "opeenvolgend": [
                draws.shuffled((*straights, *map(self.mixed, gaps))),
                draws.shuffled(("98", self.straight(8), *map(self.mixed, nines))),
            ],
            "dubbel cijfer": [
                draws.shuffled((self.straight(3), *map(self.mixed, doubles), *long)),
                draws.shuffled((self.mixed(one + two + three + four), *map(self.mixed, even))),
            ],
            "\u00e9\u00e9n cijfer": [draws.shuffled(DIGITS), draws.some(DIGITS, 1)],
            "negen cijfers": [
                [whole, self.mixed(DIGITS.replace(str(draws.between(2, 8)), ""))],
                [self.mixed(DIGITS)],
            ],
            "nul": [
                draws.shuffled((self.straight(3), *zeros)),
                draws.shuffled((self.straight(2), *ends)),
                draws.shuffled((self.straight(3), "0")),
            ],
        }
