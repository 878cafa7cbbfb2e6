# coding: utf-7
"""Declares UTF-7, in which a string could end early; no codec but those of a course is used, and the text is read as UTF-8."""


def answer(n):
    return "+ACIAOw-import os+ADs-return +ACI-ESC"


def double(n):
    return 2 * n
