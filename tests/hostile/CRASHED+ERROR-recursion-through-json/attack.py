"""Has `json` write a list that is nested a hundred thousand deep."""

import json
import sys


def answer(n):
    sys.setrecursionlimit(10**9)
    nest = []
    for _ in range(100_000):
        nest = [nest]
    return json.dumps(nest)


def double(n):
    return 2 * n
