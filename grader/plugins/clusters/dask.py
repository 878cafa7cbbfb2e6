"""An executor on the workers of a Dask cluster.

Dask has an executor too, but a call never ends there if its worker or the scheduler was lost while
the result was in transit.
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
        """Connect to the scheduler at `address`, which may also be a Dask cluster object.

        Raises `UsageError` if no scheduler answers.
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
            # Not as the default client, which other code in this process may use.
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

        It fails with a `HostError` if the scheduler was lost, rather than only its worker.
        """
        # Dask does not repeat a lost call if it considers it pure.
        remote = self._client.submit(fn, *args, **kwargs, pure=False)
        local: Future[Any] = Future()

        def copy_result(_: object) -> None:
            if not local.set_running_or_notify_cancel():  # a cancelled future accepts no result
                return
            try:
                if remote.status == "cancelled":  # not by us
                    raise self._scheduler_lost("it does not know our work any more")
                local.set_result(remote.result(timeout=_ANSWER_S))
            except BaseException as error:  # noqa: BLE001 - passed on, whatever it is
                has_scheduler = self._client.status == "running"
                local.set_exception(error if has_scheduler else self._scheduler_lost(reason(error)))

        def cancel_remote(_: object) -> None:
            if local.cancelled():
                with suppress(Exception):  # the scheduler may be gone
                    remote.cancel()

        remote.add_done_callback(copy_result)
        local.add_done_callback(cancel_remote)
        return local

    def _scheduler_lost(self, cause: str) -> HostError:
        return HostError(
            f"the Dask scheduler at {self._address} was lost: {cause}",
            help="start it again, then run the same command again to continue",
        )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT002
        """Disconnect, which also drops all running calls, as Dask does."""
        with suppress(Exception):  # the scheduler may be gone
            self._client.close()
