"""Returns, and leaves an object behind whose finalizer never ends; it ends with its step."""

class Endless:
    def __del__(self):
        while True:
            pass


def answer(n):
    leftover = Endless()
    return "contained"


def double(n):
    return 2 * n
