"""The main loop of an executor: it serves one session, or several of a lot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from grader.executor.channel import Channel
from grader.executor.session import RESERVE_BYTES, Limits, LiveSession, give_room, has_room
from grader.executor.surroundings import Surroundings
from grader.executor.surveying import survey
from grader.protocol import NO_ROOM

_second_reserve: Final = [bytes(RESERVE_BYTES)]
"""Used if a submission still holds what filled the memory, so that the first is not restored."""


def _first_session(
    channel: Channel, surroundings: Surroundings, limits: Limits
) -> LiveSession | None:
    """Return the first requested session, prepared, or None if there is none to run."""
    try:
        session = _loaded_session(channel, surroundings, limits)
    except MemoryError:
        _report_no_memory(channel)
        return None
    if session is None:
        return None
    try:
        channel.send(session.describe_modules())
    except MemoryError:  # no memory left to copy the compiled code
        give_room()
        channel.send(session.describe_modules(with_code=False))
    session.prepare()
    return session


def _loaded_session(
    channel: Channel, surroundings: Surroundings, limits: Limits
) -> LiveSession | None:
    """Return the first requested session; None after answering a survey, or at the end of input."""
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
    """Restore the interpreter and return the next session, or what the last one left behind."""
    beginning = surroundings.beginning
    if beginning is None:
        return "packages"
    try:
        remains = beginning.put_back()
    except BaseException as error:  # objects of the submission may raise anything
        return type(error).__name__
    if remains is not None or not has_room():
        return remains or "memory"
    session = make_session()
    session.prepare()
    return session


def serve(channel: Channel, surroundings: Surroundings, limits: Limits) -> None:
    """Serve sessions, or one survey, over `channel` until the judge closes its end."""
    session, in_lot = _first_session(channel, surroundings, limits), False
    while session is not None and (request := channel.receive()) is not None:
        if "host" in request:
            session.work_with(request["host"], channel, request["first"])
            return
        if "lot" in request:
            if not in_lot and surroundings.beginning is not None:
                surroundings.beginning.start(limits["memory_bytes"])
            following = _next_session(session.leave(request), surroundings)
            if isinstance(following, str):
                channel.send({"stale": following})
                return
            session = following
        # Replies of the first session are not batched: the judge must know at which step it died.
        try:
            for observation in session.run(request, gathers=in_lot):
                channel.send(observation, waits=session.is_amid)
        except MemoryError:  # the submission leaves no memory to report this step
            _report_no_memory(channel)
            return
        in_lot = "lot" in request
        if request["last"]:
            channel.close()  # wakes the judge, which waits for batched replies
            return


def _report_no_memory(channel: Channel) -> None:
    _second_reserve.clear()
    channel.send(NO_ROOM)
