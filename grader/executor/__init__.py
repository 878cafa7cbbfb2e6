"""The untrusted side: the zygote and the executors it forks, an island of our code.

None of our other code imports this package, and it imports only `grader.protocol` of ours: the
judge starts it as a separate program, in an interpreter that knows no suite and no reference.
"""
