"""Changes its name, file, loader, spec and built-ins while it is imported; the suite calls what is defined."""

__name__ = "grader.judge"
__file__ = "/etc/passwd"
__spec__ = None
__loader__ = None
__package__ = ".."
__path__ = ["/"]
__builtins__ = {"print": print, "str": str}
__all__ = ["__builtins__"]
__annotations__ = 7
__doc__ = object()

def answer(n):
    return "contained"


def double(n):
    return 2 * n
