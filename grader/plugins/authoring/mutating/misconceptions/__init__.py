"""What students do who have understood something else than was meant.

Each mutator is one misconception, said in a sentence, and applies wherever a program has the form
that it is about. None knows what an exercise is about.
"""
