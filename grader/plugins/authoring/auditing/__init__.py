"""How good is a suite? Wrong programs, what they fail, and what nothing tries."""
