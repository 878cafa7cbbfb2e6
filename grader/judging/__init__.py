"""What the verdict is: from what sessions showed to a record of one graded submission."""
