"""Fills the memory, catches MemoryError, and starts again; each time the same limit holds, and it costs the machine nothing more."""

def fill():
    kept = []
    try:
        while True:
            kept.append(bytes(8 << 20))
    except MemoryError:
        return len(kept) * 8


def answer(n):
    most_mib = max(fill() for _ in range(5))
    return f"ESCAPED: {most_mib} MiB" if most_mib > 256 else "contained"


def double(n):
    return 2 * n
