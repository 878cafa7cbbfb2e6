"""A desk where a teacher decides on a run, one student after another, in a browser."""
