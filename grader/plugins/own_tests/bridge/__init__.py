"""Lets two processes use each other's objects as if they were one program.

An instructor's tests run on one side, a submission on the other. Each side runs this package, and
accepts from the other side only information about that side's own objects.

Values     immutable values are sent as they are: numbers, strings, tuples, dates.
Containers lists, sets, dicts and the like are real objects on both sides. Each message contains
           what has changed in them since the last one, so both sides always see the same content.
Objects    every other object stays where it was created. The other side has a proxy, whose class
           mirrors the real class: it has the same name, bases and operators, so that Python itself
           decides which operator is called. Every operation on a proxy is sent to the side that
           owns the object.

The sides take turns: one runs while the other waits. A message is a request or a reply, and a side
can send requests of its own before it replies.
"""
