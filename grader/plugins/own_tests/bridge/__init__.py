"""How the objects of two processes meet: what one side holds of the other, and how it travels.

Code of two processes works together here as if it were one program: the tests of an instructor on
one side, a submission on the other. Each side runs this package, and each believes of the other
only what it says of itself.

Values     what cannot change travels as what it is: numbers, text, tuples, dates.
Containers lists, sets, dicts and the like are real ones on both sides. Each message says what has
           changed in them since the last one, so both sides always see the same.
Objects    all else stays where it was made. The other side has a proxy, of a class that mirrors its
           class: it has the same name, the same bases and the same operators, so that Python itself
           decides which operator is called. Whatever is done to a proxy is asked of its owner.

The sides take turns: one runs, the other waits. A message asks for something or answers, and who is
asked may ask in turn before it answers.
"""
