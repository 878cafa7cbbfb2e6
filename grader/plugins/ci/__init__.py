"""Results for continuous integration: JUnit XML, and annotations of GitHub."""
