"""Replaces every function in `json`, `time`, `struct`, `random`, `re`, `io` and `traceback` by one that ends the process."""

import io
import json
import json.encoder
import os
import random
import re
import struct
import time
import traceback
import types

leave = os._exit


def answer(n):
    for module in (io, json, json.encoder, random, re, struct, time, traceback):
        for name, value in list(vars(module).items()):
            if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)):
                setattr(module, name, lambda *arguments, **named: leave(9))
    return "contained"


def double(n):
    return 2 * n
