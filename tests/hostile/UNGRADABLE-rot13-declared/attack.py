# coding: rot13
"""Declares rot13, whose decoded text is another program; it is no encoding of text, and the file is read as it stands."""


qrs nafjre(a):
    erghea "X"
