"""Returns and prints text that is exactly as long as what travels and what is shown, in characters that grow when they are escaped."""

def answer(n):
    print("\udc80" * 65_536)
    return "\x1b&<\u202e\ud800" * 20_000


def double(n):
    return 2 * n
