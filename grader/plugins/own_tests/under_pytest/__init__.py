"""What `grader pytest` has pytest do: hold suites, or an instructor's own tests, against work."""
