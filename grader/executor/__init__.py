"""The untrusted side: the zygote and the executors it forks, an island of our code.

None of our other code imports this package, and `grader.protocol` is the only module of ours that
it imports: the judge starts it as a separate program, in an interpreter that has no access to a
suite or a reference.
"""
