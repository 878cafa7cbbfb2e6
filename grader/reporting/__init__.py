"""Reports made from records: pages for students and staff, and text for a terminal.

No student code runs here, but any text in a record may come from a submission, written to make a
page run it, a terminal obey it, or a parser choke on it. Three defences, each enough by itself:

1. `rendering` passes *every* expression of every template through `grader.values.display` and
   escapes it; nothing is ever marked as safe;
2. the content security policy of each page forbids all scripts but ours, and anything from outside;
3. cases reach a report that students read only through `visibility`, which lets nothing pass but
   the verdict of a hidden case, and nothing at all of a staff case.
"""
