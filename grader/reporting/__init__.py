"""Makes reports from records: pages for students and staff, and text for a terminal.

Who may lie here: nobody runs any more, but every text in a record may come from a submission, and
whoever wrote it would like the page to run it, the terminal to obey it, or the parser to choke on
it. Three walls, each of which would do:

1. `rendering` passes *every* expression of every template through `grader.values.display` and
   escapes it; nothing is ever marked as safe;
2. each page forbids itself, by its content security policy, any script and anything from outside;
3. `visibility` is the one door through which cases reach a report that students read, and nothing
   but the verdict of a hidden case, and nothing of a staff case, passes it.
"""
