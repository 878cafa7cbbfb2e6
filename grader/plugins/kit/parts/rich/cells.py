"""How many cells text takes."""

from rich.text import cell_len

__all__ = ["cell_len"]
