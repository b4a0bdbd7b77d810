"""Without a browser its tests are left out loudly, or fail where one is required."""

import shutil
from types import SimpleNamespace

import pytest

from tests import chromium


@pytest.fixture
def no_browser(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv(chromium.REQUIRED, raising=False)


def test_it_leaves_them_out(no_browser):
    with pytest.raises(pytest.skip.Exception, match="no Chromium is installed"):
        chromium.needed()


def test_it_fails_where_a_browser_is_required(no_browser, monkeypatch):
    monkeypatch.setenv(chromium.REQUIRED, "1")
    with pytest.raises(pytest.fail.Exception, match="CAESAR_REQUIRE_BROWSER=1"):
        chromium.needed()


class Terminal:
    def __init__(self, reasons):
        self.stats = {"skipped": [SimpleNamespace(longrepr=("file", 1, f"Skipped: {reason}")) for reason in reasons]}
        self.said = []

    def section(self, title, **_):
        self.said.append(title)

    def write_line(self, line, **_):
        self.said.append(line)


def test_it_says_loudly_what_did_not_run():
    terminal = Terminal([chromium.MISSING, chromium.MISSING, "something else"])
    chromium.pytest_terminal_summary(terminal)
    assert terminal.said[0] == "NOT TESTED IN A BROWSER"
    assert terminal.said[1].startswith("2 tests of the dashboard did not run")
    quiet = Terminal(["something else"])
    chromium.pytest_terminal_summary(quiet)
    assert quiet.said == []
