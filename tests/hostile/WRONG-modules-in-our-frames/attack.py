"""Takes socket, resource and json from the globals of the grader's own functions, and tries to raise limits, open sockets and pass descriptors with them; the walls are in the kernel."""

import sys

def first_that_works(tries):
    """Return "contained", or the first of `tries` that was not refused."""
    for name, act in tries:
        try:
            got = act()
        except Exception:
            continue
        return f"ESCAPED: {name} gave {got!r}"
    return "contained"


def of_ours(name):
    frame = sys._getframe()
    while name not in frame.f_globals or frame.f_globals["__name__"] == "attack":
        frame = frame.f_back
    return frame.f_globals[name]


def answer(n):
    socket, resource = of_ours("socket"), of_ours("resource")
    more = (1 << 50, 1 << 50)
    families = [family for family in socket.AddressFamily]
    tries = [
        (f"socket {family} {kind}", lambda family=family, kind=kind: socket.socket(family, kind))
        for family in families
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
    ]
    return first_that_works(
        [
            *tries,
            ("socketpair", socket.socketpair),
            ("create_connection", lambda: socket.create_connection(("127.0.0.1", 9), 0.1)),
            ("getaddrinfo", lambda: socket.getaddrinfo("localhost", 80)),
            ("if_nameindex", socket.if_nameindex),
            ("sethostname", lambda: socket.sethostname(socket.gethostname())),
            ("fromfd", lambda: socket.fromfd(0, socket.AF_UNIX, socket.SOCK_STREAM)),
            *[
                (f"limit {limit}", lambda limit=limit: resource.setrlimit(limit, more))
                for limit in range(16)
            ],
            ("limit of its parent", lambda: resource.prlimit(1, resource.RLIMIT_NOFILE)),
        ]
    )


def double(n):
    return 2 * n
