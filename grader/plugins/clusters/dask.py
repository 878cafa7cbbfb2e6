"""An executor that uses the workers of a Dask cluster.

Dask has its own executor, but there a call never ends if its worker or the scheduler is lost while
the result is in transit.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any, Final

from grader.errors import HostError, UsageError
from grader.run.engines import describe_error
from grader.values.foreign_text import one_line

_RESULT_TIMEOUT_S: Final = 120.0
"""The timeout for fetching the result of a call that has finished."""


class DaskExecutor(Executor):
    """Runs functions on the workers of a Dask scheduler."""

    def __init__(self, address: Any) -> None:
        """Connect to the scheduler at `address`, which can also be a Dask cluster object.

        Raises `UsageError` if Dask is not installed or no scheduler answers.
        """
        try:
            distributed = importlib.import_module("distributed")
        except ImportError as error:
            raise UsageError(
                "the engine dask needs Dask, which is not installed",
                help="pip install 'sessiongrader[dask]', on all machines",
            ) from error
        # Silenced, because a lost scheduler is reported below, and more briefly.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self._address: Final = one_line(str(address))
        try:
            # Not as the default client, which other code in this process might use.
            self._client: Final = distributed.Client(address, set_as_default=False)
        except Exception as error:
            raise UsageError(
                f"no Dask scheduler answers at {self._address}: {describe_error(error)}",
                help="give the address that `dask scheduler` prints, as in"
                " dask=tcp://10.0.0.1:8786",
            ) from error

    def count(self) -> int:
        """Return the number of calls that can currently run at once."""
        return sum(self._client.nthreads().values())

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call `fn` on a worker and return a future for the result.

        If the call raises an exception, the future fails with that exception. It also fails if the
        call is lost: with a `HostError` if the scheduler was lost, otherwise with Dask's exception.
        Cancelling the future cancels the call.
        """
        # Dask does not repeat lost calls of functions that it considers pure.
        remote = self._client.submit(fn, *args, **kwargs, pure=False)
        local: Future[Any] = Future()

        def copy_result(_: object) -> None:
            if not local.set_running_or_notify_cancel():  # a cancelled future accepts no result
                return
            try:
                if remote.status == "cancelled":  # not cancelled by `cancel_remote`
                    raise self._scheduler_lost("it has forgotten the submitted calls")
                local.set_result(remote.result(timeout=_RESULT_TIMEOUT_S))
            except BaseException as error:  # noqa: BLE001 - set on the future
                has_scheduler = self._client.status == "running"
                local.set_exception(
                    error if has_scheduler else self._scheduler_lost(describe_error(error))
                )

        def cancel_remote(_: object) -> None:
            if local.cancelled():
                with suppress(Exception):  # the scheduler might be gone
                    remote.cancel()

        remote.add_done_callback(copy_result)
        local.add_done_callback(cancel_remote)
        return local

    def _scheduler_lost(self, cause: str) -> HostError:
        """Return the error for a lost scheduler, with the `cause` that revealed the loss."""
        return HostError(
            f"the Dask scheduler at {self._address} was lost: {cause}",
            help="start it again, then run the same command again to continue",
        )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT002
        """Disconnect from the scheduler, so that Dask drops all running calls.

        The parameters are those of `Executor.shutdown`, and are ignored.
        """
        with suppress(Exception):  # the scheduler might be gone
            self._client.close()
