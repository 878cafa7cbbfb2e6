"""What an executor does from the fork to its end: it serves one session, or several of a lot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from grader.executor.channel import Channel
from grader.executor.session import RESERVE_BYTES, Limits, LiveSession, give_room, has_room
from grader.executor.surroundings import Surroundings
from grader.executor.surveying import survey
from grader.protocol import NO_ROOM

_last_reserve: Final = [bytes(RESERVE_BYTES)]
"""The other is gone where a submission goes on to hold what has filled the memory."""


def _begun(channel: Channel, surroundings: Surroundings, limits: Limits) -> LiveSession | None:
    """Return the session that is asked for first, ready; None when it is something else."""
    try:
        session = _loaded(channel, surroundings, limits)
    except MemoryError:
        _tell_no_room(channel)
        return None
    if session is None:
        return None
    try:
        channel.send(session.described())
    except MemoryError:  # of code that fills the memory there is no room for a copy
        give_room()
        channel.send(session.described(with_code=False))
    session.prepare()
    return session


def _loaded(channel: Channel, surroundings: Surroundings, limits: Limits) -> LiveSession | None:
    """Return the session that is asked for first; None when it is a survey, which is then done."""
    request = channel.receive()
    if request is None:
        return None
    if "survey" in request:
        channel.send({"survey": survey(request)})
        return None
    return LiveSession(channel, surroundings, limits, request)


def _following(again: Callable[[], LiveSession], surroundings: Surroundings) -> LiveSession | str:
    """Return the session that begins `again`, or what of the one before stays behind."""
    beginning = surroundings.beginning
    if beginning is None:
        return "packages"
    try:
        stays = beginning.put_back()
    except BaseException as error:  # of whatever it is that a submission has left there
        return type(error).__name__
    if stays is not None or not has_room():
        return stays or "memory"
    following = again()
    following.prepare()
    return following


def serve(channel: Channel, surroundings: Surroundings, limits: Limits) -> None:
    """Serve a session over `channel`, or several, until the judge closes its end; or one survey."""
    session, in_lot = _begun(channel, surroundings, limits), False
    while session is not None and (request := channel.receive()) is not None:
        if "host" in request:
            session.work_with(request["host"], channel, request["first"])
            return
        if "lot" in request:
            if not in_lot and surroundings.beginning is not None:
                surroundings.beginning.start(limits["memory_bytes"])
            following = _following(session.leave(request), surroundings)
            if isinstance(following, str):
                channel.send({"stale": following})
                return
            session = following
        # Of the first one it must be known at which step the executor died, if it does.
        try:
            for observation in session.run(request, gathers=in_lot):
                channel.send(observation, waits=session.is_amid)
        except MemoryError:  # the submission holds so much that nothing can be told of this step
            _tell_no_room(channel)
            return
        in_lot = "lot" in request
        if request["last"]:
            channel.close()  # which wakes the judge, who has let the replies gather
            return


def _tell_no_room(channel: Channel) -> None:
    _last_reserve.clear()
    channel.send(NO_ROOM)
