"""The browser that the pages are looked at with. Where there is none, that is said loudly; CI requires it."""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
REQUIRED = "CAESAR_REQUIRE_BROWSER"
MISSING = "no Chromium is installed"
# No page of the tests may reach anything but the server under test.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def path() -> str | None:
    """Where Chromium is."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def needed() -> str:
    """Where Chromium is; skips the test without one, or fails it where a browser is required."""
    found = path()
    if found is None:
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{REQUIRED}=1, but {MISSING}.", pytrace=False)
        pytest.skip(MISSING)
    return found


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Says what did not run."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if MISSING in str(report.longrepr)]
    if skipped:
        line = terminalreporter.write_line
        terminalreporter.section("NOT TESTED IN A BROWSER", sep="!", red=True, bold=True)
        line(f"{len(skipped)} tests of the dashboard did not run, since {MISSING}.", red=True, bold=True)
        line("`apt-get install chromium` brings it.", red=True)
