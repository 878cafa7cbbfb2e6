"""What continuous integration shows of a submission: JUnit XML, and notes of GitHub."""
