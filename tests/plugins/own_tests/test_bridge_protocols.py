"""Protocols find what an object has that is elsewhere."""

from __future__ import annotations

import inspect
import typing

import pytest
from bridged import Bridged

from grader.plugins.own_tests.bridge.proxies import look_up_on_proxies


@pytest.fixture
def far() -> Bridged:
    """An object with a name of its own."""
    return Bridged("class Own:\n    def __init__(self): self.name = 'o'\nown = Own()")


def test_names_are_asked_for(far: Bridged, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `typing` would not ask, a proxy is asked; anything else is looked at as before."""
    loader = "_lazy_load_getattr_static"
    monkeypatch.setattr(typing, loader, lambda: inspect.getattr_static, raising=False)
    look_up_on_proxies(monkeypatch.setattr)
    looked_up = vars(typing)[loader]()
    assert looked_up(far.own, "name") == "o"
    for value in (far.own, object()):
        with pytest.raises(AttributeError):
            looked_up(value, "title")
    assert isinstance(looked_up(property, "fget"), type(vars(property)["fget"]))


def test_before_python_3_12_nothing_has_to_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """There protocols ask by themselves, and `typing` stays as it is."""
    monkeypatch.delattr(typing, "_lazy_load_getattr_static", raising=False)
    before = dict(vars(typing))
    look_up_on_proxies(monkeypatch.setattr)
    assert before == vars(typing)
