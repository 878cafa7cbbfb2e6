"""Brings a package named grader with a forged protocol and session; the grader's own modules are loaded already, and the package is the submission's only."""

import grader
import grader.protocol
from grader.executor import session


def answer(n):
    return session.VERDICT + grader.protocol.VERDICT


def double(n):
    return 2 * n
