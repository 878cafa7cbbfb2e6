"""Reads pages of reports the way a browser does."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final

OUR_TAGS: Final = frozenset(
    {
        "html",
        "head",
        "meta",
        "title",
        "link",
        "style",
        "body",
        "header",
        "main",
        "section",
        "var",
        "nav",
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "ul",
        "ol",
        "li",
        "a",
        "b",
        "i",
        "span",
        "svg",
        "g",
        "rect",
        "text",
        "path",
        "details",
        "summary",
        "div",
        "pre",
        "code",
        "mark",
        "dl",
        "dt",
        "dd",
        "figure",
        "figcaption",
        "small",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "wbr",
        "br",
        "template",
        "script",
        "button",
        "kbd",
        "label",
        "input",
        "dialog",
        "form",
        "select",
        "optgroup",
        "option",
        "textarea",
    }
)
VOID_TAGS: Final = frozenset({"meta", "link", "rect", "path", "input", "wbr", "br"})


class Reader(HTMLParser):
    """Reads a page the way a browser does, and notes what it is made of."""

    def __init__(self, page: str) -> None:
        """Read all of `page`."""
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.open_tags: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag and its attributes."""
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID_TAGS:
            self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check that tags close in order."""
        if tag not in VOID_TAGS:
            assert tag == self.open_tags.pop()

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.text.append(data)

    def values(self, name: str) -> list[str]:
        """Return the values of all attributes called `name`."""
        return [value or "" for key, value in self.attributes if key == name]
