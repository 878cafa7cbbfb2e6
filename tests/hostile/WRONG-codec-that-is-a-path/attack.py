#!/usr/bin/python
# coding: ..-..-..-tmp.evil.__init__
"""Declares an encoding whose name looks like a module of somewhere else; codecs are looked up by name only, and this one is not used."""


def answer(n):
    return "contained"


def double(n):
    return 2 * n
