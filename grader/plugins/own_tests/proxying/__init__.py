"""Runs tests of an instructor against a submission in an executor.

The tests run in this process. What they import of the submission are proxies, see
`grader.plugins.own_tests.bridge`, and each use of a proxy is a request to the executor. Only what a
test hands over itself goes there: the arguments of its calls, and the results of its functions.

A failure other than an exception, such as a timeout, is *trouble*. It is noted here, outside of the
test, as a test may swallow any exception.
"""
