"""Tests of an instructor's own, at work on a submission that runs in an executor."""
