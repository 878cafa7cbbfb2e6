VERDICT = "PASSED"


def serve(*_):
    raise SystemExit
