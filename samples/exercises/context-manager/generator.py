"""Hidden sessions: what is done is drawn here, what it gives is what the reference gives."""

from collections.abc import Iterator

from grader.plugins.authoring.generating import Draws, Generator, PlacedClause, Scene

CLAUSES = {
    "take: refused": PlacedClause(
        group="take-refused", quote="if there is less, it must raise a `ValueError`", refused=True
    ),
    "Together: other exceptions": PlacedClause(
        group="Together-refused",
        quote="A `ValueError` goes no further than the block; any other exception does",
        refused=True,
    ),
    "balance": PlacedClause(group="balance", quote="returns how much there is"),
    "balance: again": PlacedClause(
        group="balance", quote="the account must have the balance again that it had before"
    ),
}


def scenes(draws: Draws) -> Iterator[Scene]:
    """Yield sessions to grade on, which ask each clause in several ways."""
    much, little = draws.between(50, 99), draws.between(1, 9)
    yield Scene(
        topic="All that there is, and more",
        lines=f"""
account = Account({much})
account.take({much + 1})  # take: refused
account.take({much})
account.balance  # balance
account.take({little})  # take: refused
account.add({little})
account.balance  # balance
""",
        observers=("account.balance",),
    )
    yield Scene(
        topic="Blocks that end well, and blocks that do not",
        lines=f"""
account = Account({much})
with Together(account) as same: same.take({little})
account.balance  # balance
with Together(account): account.take({little}); account.take({much})
account.balance  # balance: again
with Together(account) as same: same.add({much}); same.take({little}); raise ValueError
account.balance  # balance: again
with Together(account): account.add({little}); [][{little}]  # Together: other exceptions
account.balance  # balance: again
with Together(account): account.take(1); raise KeyError({little})  # Together: other exceptions
account.balance  # balance: again
with Together(account): account.add({little})
account.balance  # balance
""",
    )
    yield Scene(
        topic="Two accounts",
        lines=f"""
one = Account({much})
other = Account({little})
with Together(one): one.take({little}); other.add({little}); raise ValueError
one.balance  # balance: again
other.balance  # balance
""",
    )


def examples(draws: Draws) -> Iterator[Scene]:
    """Yield small sessions to show to students who fail: these count for nothing."""
    amount = draws.between(2, 9)
    for topic, lines in {
        "Too little": f"account.take({amount + 1})  # take: refused",
        "Everything": f"account.take({amount})\naccount.balance  # balance",
        "As if nothing was done": (
            "with Together(account): account.add(1); raise ValueError\n"
            "account.balance  # balance: again"
        ),
        "Another exception": (
            "with Together(account): account.add(1); 1 / 0  # Together: other exceptions"
        ),
    }.items():
        yield Scene(topic=topic, lines=f"account = Account({amount})\n{lines}")


GENERATOR = Generator(version=1, clauses=CLAUSES, scenes=scenes, examples=examples)
