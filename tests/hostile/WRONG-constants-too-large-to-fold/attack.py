"""Constants that the compiler would have to compute while it compiles; it declines those that are too large, and nothing runs them."""

def answer(n):
    if n == 0:
        return (
            10**10**8,
            1 << 10**9,
            "a" * 10**9,
            b"a" * 10**9,
            (0,) * 10**9,
            ((((((0,) * 1000,) * 1000,) * 1000,) * 1000,) * 1000,),
            -(10**10**8),
        )
    return "contained"


def double(n):
    return 2 * n
