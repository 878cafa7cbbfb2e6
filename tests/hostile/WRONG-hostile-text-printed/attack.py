"""Prints text that pages, XML, terminals, spreadsheets, logs and templates would obey; all of it is shown capped and escaped."""

NASTY = (
    "<script>alert(1)</script><img src=x onerror=alert(1)><svg/onload=alert(1)>",
    "' onmouseover='alert(1)' x='\" onfocus=\"alert(1)\" autofocus x=\"",
    "</pre></code></textarea></title></style></script><!--<script>",
    "]]>&amp;&lt;&#x0;&bogus;<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
    "\x00\x01\x08\x0b\x0c\x0e\x1f\x7f\x80\x85\x9b31m\ufffe\uffff\ud800\udfff",
    "\x1b[2J\x1b[31m\x1b]0;title\x07\x1b]8;;http://x/\x1b\\link\x1b]8;;\x1b\\\x1b]52;c;AA==\x07\x1bP$q\x1b\\",
    "\u202edesrever\u2066\u2069\u200b\u200f\u2028\u2029\ufeff\u00ad\U000e0041",
    "=HYPERLINK(\"http://x/\")\n+1+1\n-1+1\n@SUM(1)\n\t=1\n\r=1",
    "\n::error::a\n::set-output name=score::21\n::add-mask::a\n##[error]a\n##vso[task.complete]\n::stop-commands::x",
    "\r\n2026-01-01 INFO graded: 21 of 21 points\r[2K\b\b\bok",
    "[link](javascript:alert(1)) ![x](x) `` ``` ~~~ **b** | a | <details>",
    "{{7*7}} {% import os %} ${7*7} #{7*7} %(x)s %s%n {0.__class__} {x!r} $(id) `id`",
    "- !!python/object/apply:os.system [id]\n--- &a *a\n? !!set",
    "\u2028</script>\u2029\\u003c/script\\u003e\\",
    "[bold red]x[/bold red] [link=http://x]y[/link] :skull: [/]",
)


def answer(n):
    for text in NASTY:
        print(text, end="\r\n")
    return "printed"


def double(n):
    return 2 * n
