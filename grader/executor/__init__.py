"""The untrusted side: the zygote and the executors it forks, an island of our code.

Nothing of ours imports this package, and it imports nothing of ours but `grader.protocol`: the
judge starts it as a program of its own, in an interpreter that knows no suite and no reference.
"""
