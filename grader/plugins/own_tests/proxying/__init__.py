"""Runs an instructor's tests against a submission in an executor.

The tests run in this process. The modules that they import from the submission are proxies: see
`grader.plugins.own_tests.bridge`. Each use of a proxy is a request to the executor. Only what a
test itself passes to the submission is sent to it: the arguments of the test's calls, and the
results of its functions.

A failure other than an exception, such as a timeout, is *trouble*. It is recorded here, outside the
test, as a test can swallow any exception.
"""
