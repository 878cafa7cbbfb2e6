"""The pytest hooks of `grader pytest`, for suites and for an instructor's own tests."""
