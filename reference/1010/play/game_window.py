"""The window of the reference's GUI.py, for modules that run elsewhere."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.errors import HostError

GUI_NAME = "GUI.py"


def load_gui(folder: Path) -> Any:
    """Return the module GUI of the reference in `folder`, whose code is as trusted as ours.

    Raises `HostError` when this Python has no tkinter.
    """
    path = folder / GUI_NAME
    spec = importlib.util.spec_from_file_location("grader_1010_gui", path)
    assert spec is not None, "a file that ends in .py is a module"
    assert spec.loader is not None, "and has a loader"
    gui: ModuleType = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(gui)
    except ImportError as error:
        raise HostError(
            "this Python has no tkinter, and without it there is no window",
            help="on Debian and Ubuntu: apt install python3-tk (for /usr/bin/python3); others"
            " install a Python that was built with Tk",
        ) from error
    return gui


def open_window(gui: Any, modules: object, dimension: int) -> Any:
    """Return a window that plays with `modules`; raises `HostError` where there is no display."""
    try:
        return gui.Window(gui.Match(modules, dimension))
    except gui.tk.TclError as error:
        raise HostError(
            f"no window can be opened here: {error}",
            help="play at a screen; over SSH: ssh -X",
        ) from error
