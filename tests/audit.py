"""Looks the locked packages up among those with known holes: `make audit`.

Exit code 1: some have one. Where the list cannot be reached, that is said loudly and is no failure: a machine without
a network must be able to run what CI runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = "requirements.txt"
# Holes that do not concern us, each with why.
ACCEPTED: Mapping[str, str] = {}
SECONDS = 180
LOUD = "!" * 78


def command() -> list[str]:
    """Only what the lock names: nothing is installed or resolved for it."""
    audit = [sys.executable, "-m", "pip_audit", "--requirement", LOCK, "--no-deps", "--disable-pip"]
    return [*audit, "--format", "json", "--progress-spinner", "off", "--timeout", "10"]


def holes(report: str) -> list[str]:
    """A line for each known hole in pip-audit's report. Raises ValueError where it is none."""
    found: Any = json.loads(report)
    lines = []
    for package in found["dependencies"]:
        for hole in package.get("vulns", ()):
            if not {hole["id"], *hole.get("aliases", ())} & set(ACCEPTED):
                mended = ", ".join(hole.get("fix_versions", ())) or "no release yet"
                lines.append(f"{package['name']} {package['version']}: {hole['id']} (mended in {mended})")
    return lines


def unknown(report: str) -> tuple[int, int]:
    """How many packages the list did not know, of how many: all of them where it is no list at all."""
    found: Any = json.loads(report)["dependencies"]
    return sum("skip_reason" in package for package in found), len(found)


def main() -> int:
    try:
        done = subprocess.run(command(), cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
        found = holes(done.stdout)
        skipped, all_of_them = unknown(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        found, skipped, all_of_them = [], 1, 1
    if skipped == all_of_them:
        print(f"{LOUD}\nNOT LOOKED UP: the list of packages with known holes cannot be reached from here.\n{LOUD}")
        return 0
    if skipped:
        print(f"{LOUD}\n{skipped} of {all_of_them} packages were NOT LOOKED UP: the list does not know them.\n{LOUD}")
    print("\n".join(found) or f"No other package of {LOCK} has a known hole.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
