"""Engines on other machines: a Dask cluster, or the user's own executor."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from grader.errors import UsageError
from grader.plugins.clusters.dask import DaskExecutor
from grader.run.engines import REMOTE_CHUNK_SIZE, Engine, describe_error
from grader.values.foreign_text import one_line


def make_engine(name: str, workers: int) -> Engine:
    """Return the engine that `name` describes.

    `name` is `dask=ADDRESS` with the address of a scheduler, or `MODULE:FACTORY` with a function
    without arguments that returns an executor. That executor is assumed to have the given number of
    `workers`; a Dask cluster is asked for its number. Raises `UsageError` if the engine is unknown
    or cannot be used.
    """
    if name.startswith("dask="):
        return _dask_engine(name.removeprefix("dask="))
    return _custom_engine(name, workers)


def _dask_engine(address: str) -> Engine:
    """Connect to the Dask scheduler at `address`, and return an engine that uses it."""
    executor = DaskExecutor(address)
    return Engine(
        start=lambda: executor,
        workers=executor.count(),
        chunk_size=REMOTE_CHUNK_SIZE,
        count=executor.count,
    )


def _custom_engine(name: str, workers: int) -> Engine:
    """Import the module in `MODULE:FACTORY`, and return the engine for its function.

    The engine calls the function when it starts. Raises `UsageError` if the name is malformed or
    the function cannot be imported.
    """
    module_name, _, factory_name = name.partition(":")
    if not (module_name and factory_name):
        raise UsageError(
            f"unknown engine: {one_line(name)}",
            help="use local, dask=ADDRESS, or MODULE:FACTORY, a function that returns an executor",
        )

    def start() -> Executor:
        try:
            executor = factory()
            if not isinstance(executor, Executor):
                raise TypeError(
                    f"it returned something other than a concurrent.futures.Executor: {executor!r}"
                )
            return executor
        except Exception as error:
            raise _cannot_start(name, error) from error

    try:
        with _current_folder_on_path():
            factory = getattr(importlib.import_module(module_name), factory_name)
    except Exception as error:
        raise _cannot_start(name, error) from error
    return Engine(start=start, workers=workers, chunk_size=REMOTE_CHUNK_SIZE)


def _cannot_start(name: str, error: Exception) -> UsageError:
    """Return the error for a custom engine that cannot be imported or started."""
    return UsageError(
        f"the engine {one_line(name)} cannot be started: {describe_error(error)}",
        help="use MODULE:FACTORY, a function without arguments that returns an executor",
    )


@contextmanager
def _current_folder_on_path() -> Iterator[None]:
    """Put the current folder on `sys.path` for a while, so that its modules can be imported."""
    folder = os.getcwd()
    sys.path.insert(0, folder)  # an installed script has its own folder there instead
    try:
        yield
    finally:
        sys.path.remove(folder)
