"""Mutators that make the mistakes of students who misunderstand something.

Each mutator makes the mistake that its docstring describes, wherever a program contains a suitable
construct. No mutator depends on the exercise.
"""
