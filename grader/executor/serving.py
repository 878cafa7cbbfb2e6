"""The main loop of an executor, which serves one session, or several sessions of a lot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from grader.executor.channel import Channel
from grader.executor.session import (
    RESERVE_BYTES,
    Limits,
    LiveSession,
    free_reserve,
    restore_reserve,
)
from grader.executor.surroundings import Surroundings
from grader.executor.surveying import survey
from grader.protocol import NO_ROOM

_second_reserve: Final = [bytes(RESERVE_BYTES)]
"""Freed if the first reserve could not be restored, because a submission still fills the memory."""


def _first_session(
    channel: Channel, surroundings: Surroundings, limits: Limits
) -> LiveSession | None:
    """Prepare the first requested session, send a description of its modules, and return it.

    Return None if there is no session to run: after a survey, if the judge has closed the channel,
    or if memory has run out, which is reported.
    """
    try:
        session = _load_session(channel, surroundings, limits)
    except MemoryError:
        _report_no_memory(channel)
        return None
    if session is None:
        return None
    try:
        channel.send(session.describe_modules())
    except MemoryError:  # not enough memory to copy the compiled code
        free_reserve()
        channel.send(session.describe_modules(with_code=False))
    session.prepare()
    return session


def _load_session(
    channel: Channel, surroundings: Surroundings, limits: Limits
) -> LiveSession | None:
    """Receive a request, and return the session that it describes.

    If it is a request for a survey, reply to it and return None. Also return None if the judge has
    closed the channel.
    """
    request = channel.receive()
    if request is None:
        return None
    if "survey" in request:
        channel.send({"survey": survey(request)})
        return None
    return LiveSession(channel, surroundings, limits, request)


def _next_session(
    make_session: Callable[[], LiveSession], surroundings: Surroundings
) -> LiveSession | str:
    """Restore the interpreter, and prepare and return the next session.

    If the interpreter cannot be restored, return a short text that says what prevents it.
    """
    initial_state = surroundings.initial_state
    if initial_state is None:
        return "packages"
    try:
        remains = initial_state.restore()
    except BaseException as error:  # objects of the submission can raise anything here
        return type(error).__name__
    if remains is not None or not restore_reserve():
        return remains or "memory"
    session = make_session()
    session.prepare()
    return session


def serve(channel: Channel, surroundings: Surroundings, limits: Limits) -> None:
    """Serve sessions, or one survey, over `channel` until the judge closes its end.

    Returns early after a host has used the session, or after the last session. If memory runs out,
    or if the interpreter cannot be restored for the next session, reports that and returns.
    """
    session, in_lot = _first_session(channel, surroundings, limits), False
    while session is not None and (request := channel.receive()) is not None:
        if "host" in request:
            session.run_host(request["host"], channel, request["first"])
            return
        if "lot" in request:
            if not in_lot and surroundings.initial_state is not None:
                surroundings.initial_state.start(limits["memory_bytes"])
            next_session = _next_session(session.release(request), surroundings)
            if isinstance(next_session, str):
                channel.send({"stale": next_session})
                return
            session = next_session
        # Replies of the first session are not batched, so that the judge can tell at which step a
        # submission ended the process.
        try:
            for observation in session.run(request, batches=in_lot):
                channel.send(observation, may_wait=session.more_replies_follow)
        except MemoryError:  # the submission left too little memory to report this step
            _report_no_memory(channel)
            return
        in_lot = "lot" in request
        if request["last"]:
            channel.close()  # wakes the judge, which waits for batched replies
            return


def _report_no_memory(channel: Channel) -> None:
    """Free the second reserve, and report that the submission has used up all memory."""
    _second_reserve.clear()
    channel.send(NO_ROOM)
