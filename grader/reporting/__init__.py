"""Reports made from records: pages for students and staff, and text for a terminal.

No student code runs here. But any text in a record might come from a submission, and might be
written to run as code on a page, to control a terminal, or to crash a parser. There are three
defences, each of which is enough by itself:

1. `rendering` passes *every* expression of every template through `grader.values.display` and
   escapes it; no text is ever marked as safe;
2. the content security policy of each page forbids all scripts except ours, and all external files;
3. reports for students get their cases only from `visibility`, which removes everything except the
   verdict from a hidden case, and leaves out staff cases.
"""
