"""From what lies in a folder of hand-ins to submissions: nothing is executed, nothing is lost."""
