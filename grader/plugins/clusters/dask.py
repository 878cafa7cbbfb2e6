"""An executor on the workers of a Dask cluster.

Dask has one too, but there a call whose result was in transit when its worker or the scheduler was
lost never ends.
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
"""The timeout for fetching a finished result."""


class DaskExecutor(Executor):
    """Runs functions on the workers of a Dask scheduler."""

    def __init__(self, address: Any) -> None:
        """Connect to the scheduler at `address`, which may also be a cluster object of Dask.

        Raises `UsageError` if none answers.
        """
        try:
            distributed = importlib.import_module("distributed")
        except ImportError as error:
            raise UsageError(
                "the engine dask needs Dask, which is not installed",
                help="pip install 'sessiongrader[dask]', on all machines",
            ) from error
        # We report a lost scheduler ourselves, in fewer words.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self._address: Final = one_line(str(address))
        try:
            # Not the default, to which all other use of Dask in this process would go.
            self._client: Final = distributed.Client(address, set_as_default=False)
        except Exception as error:
            raise UsageError(
                f"no Dask scheduler answers at {self._address}: {reason(error)}",
                help="give the address that `dask scheduler` prints, as in"
                " dask=tcp://10.0.0.1:8786",
            ) from error

    def count(self) -> int:
        """Return the number of calls that can run at once now."""
        return sum(self._client.nthreads().values())

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call `fn` on a worker; the future fails with its exception, or if the call is lost.

        It fails with a `HostError` if the scheduler was lost, and not only its worker.
        """
        # Dask does not repeat a call that it takes for pure: a lost one would stay lost.
        there = self._client.submit(fn, *args, **kwargs, pure=False)
        here: Future[Any] = Future()

        def pass_on(_: object) -> None:
            if not here.set_running_or_notify_cancel():  # a cancelled future takes no result
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
            help="start it again, then run the same command again to continue",
        )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT002
        """Disconnect, which also drops all running calls, as Dask does."""
        with suppress(Exception):  # there may be no scheduler any more
            self._client.close()
