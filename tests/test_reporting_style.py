"""The style of the pages: contrast in each theme, print, and no side-effects."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import product

import pytest

from grader.reporting import rendering

TEMPLATES = files("grader.reporting") / "templates"
AA_TEXT = 4.5
AA_GRAPHICS = 3.0

PAIRS = [
    *product(("ink", "soft", "link"), ("ground", "sheet", "tint")),
    *(("ink", tint) for tint in ("good-mark", "bad-mark", "bad-tint", "ours-tint", "idle-tint")),
    *((tone, f"{tone}-tint") for tone in ("good", "bad", "idle", "ours")),
    ("ours", "part-tint"),
    ("soft", "bad-tint"),
    *product(("good", "bad", "ours"), ("ground", "sheet")),
]


def style(name: str) -> str:
    """Return a style sheet as pages include it."""
    return rendering._environment().get_template(name).render()


def themes() -> dict[str, dict[str, str]]:
    """Return the colours of each theme; later ones only name what changes."""
    blocks = re.findall(r":root(\S*) \{(.*?)\}", style("page.css"), re.DOTALL)
    colours = [(who, dict(re.findall(r"--([\w-]+): (#[0-9a-f]+);", text))) for who, text in blocks]
    (_, light), (_, dark), (asked, also_dark), _, (_, printed) = colours
    assert ('[data-theme="dark"]', dark) == (asked, also_dark)
    return {"light": light, "dark": light | dark, "print": light | printed}


def luminance(colour: str) -> float:
    """Return the relative luminance of `colour`, as WCAG defines it."""
    digits = colour.removeprefix("#")
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    channels = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """Return the contrast between two colours, as WCAG defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_has_enough_contrast(theme: str, text: str, ground: str) -> None:
    """Each text on each ground that it is set on meets WCAG AA."""
    colours = themes()[theme]
    assert contrast(colours[text], colours[ground]) >= AA_TEXT


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_bar_has_enough_contrast(theme: str) -> None:
    """The filled part of the bar stands out from the empty part."""
    colours = themes()[theme]
    assert contrast(colours["good"], colours["line"]) >= AA_GRAPHICS


def test_dark_theme_follows_the_reader() -> None:
    """The dark theme is chosen by the preference of the reader, unless they chose the light one."""
    rule = '@media screen and (prefers-color-scheme: dark) {\n:root:not([data-theme="light"]) {'
    assert rule in style("page.css")


def test_themes_are_chosen_in_one_place() -> None:
    """A style that asks for the theme by itself would not follow the button."""
    for sheet in ("student.css", "index.css", "sheet.css"):
        assert 1 == style(sheet).count("prefers-color-scheme")


def test_nothing_moves() -> None:
    """No reader has to ask for less motion, because there is none."""
    for sheet in ("student.css", "index.css", "sheet.css"):
        assert not re.search(r"transition|animation|@keyframes|smooth", style(sheet))


def test_templates_never_switch_escaping_off() -> None:
    """No template declares anything safe, or escapes by hand."""
    for template in TEMPLATES.iterdir():
        source = template.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe|autoescape|Markup|\| *e\b|style=\"", source), template.name


def test_modules_never_mark_text_as_safe() -> None:
    """The only mention of markup in the modules is the check for it."""
    for module in files("grader.reporting").iterdir():
        if module.name.endswith(".py"):
            assert "Markup(" not in module.read_text(encoding="utf-8"), module.name


def test_the_script_is_small_and_makes_no_markup() -> None:
    """Ten kibibytes at most, and text stays text: no way to make markup, code or requests of it."""
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    assert len(script.encode("utf-8")) <= 11 * 1024
    assert not re.search(r"HTML|eval|Function\(|document\.write|fetch|XMLHttp|import", script)
    plain = script.replace("{% block own %}{% endblock %}\n", "")  # what the overview does more
    assert plain == rendering._environment().get_template("page.js").render() + "\n"
