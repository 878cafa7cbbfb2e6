"""What was graded: one SQLite file in the folder of a run, from which every report is made."""
