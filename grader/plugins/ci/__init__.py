"""Results for continuous integration: JUnit XML and GitHub annotations."""
