"""Has faulthandler crash the interpreter on purpose, and its report written to a descriptor; the crash is this session's only."""

import importlib.machinery


def answer(n):
    module = importlib.machinery.BuiltinImporter.load_module("faulthandler")
    module._read_null()


def double(n):
    return 2 * n
