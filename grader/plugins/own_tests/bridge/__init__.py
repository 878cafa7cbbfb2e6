"""Lets two processes use each other's objects as if they were one program.

The tests of an instructor run on one side, a submission on the other. Each side runs this package,
and accepts from the other only what that says about its own objects.

Values     what cannot change travels as what it is: numbers, text, tuples, dates.
Containers lists, sets, dicts and the like are real ones on both sides. Each message says what has
           changed in them since the last one, so both sides always see the same.
Objects    all else stays where it was made. The other side has a proxy, of a class that mirrors its
           class: it has the same name, the same bases and the same operators, so that Python itself
           decides which operator is called. Whatever is done to a proxy is sent to its owner.

The sides take turns: one runs, the other waits. A message is a request or a reply, and a side may
send requests of its own before it replies.
"""
