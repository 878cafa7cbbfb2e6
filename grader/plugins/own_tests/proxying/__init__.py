"""Tests of an instructor at work on a submission that lives in an executor.

The tests run in this process. What they import of the submission are proxies, see
`grader.plugins.own_tests.bridge`, and whatever they do with these is done in the executor. Nothing
of a test goes there but what it hands over itself: the arguments of its calls, and what its own
functions return when they are called.

What goes wrong beyond an exception, such as a time-out, is *trouble*. It is noted here, outside of
the test, which may well swallow everything that is raised in it.
"""
