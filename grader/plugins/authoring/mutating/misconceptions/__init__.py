"""Mutators that make the mistakes of students who misunderstand something.

Each mutator makes one mistake, named by its docstring, wherever a program has the right form. None
depends on the exercise.
"""
