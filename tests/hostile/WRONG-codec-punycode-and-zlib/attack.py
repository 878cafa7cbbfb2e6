# vim: set fileencoding=zlib_codec :
# coding: punycode
"""Declares codecs that decompress and rewrite; only the first line counts, and it is not obeyed."""


def answer(n):
    return "contained"


def double(n):
    return 2 * n
