"""The workers of a Dask cluster, as an executor.

Dask has one too, but there a chunk whose answer was under way when its worker or the scheduler was
lost never comes to an end.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any, Final

from grader.errors import HostError, UsageError
from grader.run.engines import reason
from grader.values.foreign_text import one_line

_ANSWER_S: Final = 120.0
"""How long an answer may be on its way, once it is there."""


class DaskExecutor(Executor):
    """Has functions called by the workers of a Dask scheduler."""

    def __init__(self, address: Any) -> None:
        """Connect to the scheduler at `address`, or to one of Dask's own objects for a cluster.

        Raises `UsageError` when none answers there.
        """
        try:
            distributed = importlib.import_module("distributed")
        except ImportError as error:
            raise UsageError(
                "the engine dask needs Dask, which is not installed",
                help="pip install 'sessiongrader[dask]', on all machines",
            ) from error
        # We tell ourselves when the scheduler is lost, in fewer words.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self._address: Final = one_line(str(address))
        try:
            self._client: Final = distributed.Client(address, set_as_default=False)
        except Exception as error:
            raise UsageError(
                f"no Dask scheduler answers at {self._address}: {reason(error)}",
                help="give the address that `dask scheduler` prints, as in"
                " dask=tcp://10.0.0.1:8786",
            ) from error

    def count(self) -> int:
        """Return how many calls can run side by side now."""
        return sum(self._client.nthreads().values())

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have `fn` called; the future fails with what it raised, or when it was lost.

        It fails with a `HostError` when not its worker was lost but the scheduler.
        """
        # What is pure is not called again: a call that was lost would stay lost.
        there = self._client.submit(fn, *args, **kwargs, pure=False)
        here: Future[Any] = Future()

        def pass_on(_: object) -> None:
            if not here.set_running_or_notify_cancel():
                return
            try:
                if there.status == "cancelled":  # not by us
                    raise self._lost("it does not know our work any more")
                here.set_result(there.result(timeout=_ANSWER_S))
            except BaseException as error:  # noqa: BLE001 - passed on, whatever it is
                is_here = self._client.status == "running"
                here.set_exception(error if is_here else self._lost(reason(error)))

        def cancel_there(_: object) -> None:
            if here.cancelled():
                with suppress(Exception):  # there may be no scheduler any more
                    there.cancel()

        there.add_done_callback(pass_on)
        here.add_done_callback(cancel_there)
        return here

    def _lost(self, why: str) -> HostError:
        return HostError(
            f"the Dask scheduler at {self._address} was lost: {why}",
            help="start it again, then give the same command again: it goes on",
        )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT002
        """Leave the cluster, and with it all calls that are under way: so does Dask."""
        with suppress(Exception):  # there may be no scheduler any more
            self._client.close()
