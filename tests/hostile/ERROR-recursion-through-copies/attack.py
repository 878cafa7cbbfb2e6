"""Copies a list that is nested five thousand deep."""

import copy


def answer(n):
    nest = []
    for _ in range(5_000):
        nest = [nest]
    return copy.deepcopy(nest)


def double(n):
    return 2 * n
