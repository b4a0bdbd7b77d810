"""What `make audit` makes of pip-audit's report."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from tests import audit

HOLE = {"id": "PYSEC-2099-1", "aliases": ["CVE-2099-1"], "fix_versions": ["2.0"], "description": "…"}
REPORT = {
    "dependencies": [{"name": "sound", "version": "1.0", "vulns": []}, {"name": "x", "version": "1.0", "vulns": [HOLE]}]
}


def ran(monkeypatch: pytest.MonkeyPatch, out: Any) -> int:
    def run(*_: Any, **__: Any) -> Any:
        if isinstance(out, Exception):
            raise out
        return subprocess.CompletedProcess([], 1, out, "")

    monkeypatch.setattr(subprocess, "run", run)
    return audit.main()


def test_a_known_hole_fails_and_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(monkeypatch, json.dumps(REPORT)) == 1
    assert "x 1.0: PYSEC-2099-1 (mended in 2.0)" in capsys.readouterr().out


def test_what_was_looked_at_and_accepted_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "ACCEPTED", {"CVE-2099-1": "we do not call it"})
    assert ran(monkeypatch, json.dumps(REPORT)) == 0


ALL_SKIPPED = {"dependencies": [{"name": "x", "skip_reason": "not found"}]}


@pytest.mark.parametrize("out", ["", "not JSON", json.dumps(ALL_SKIPPED), subprocess.TimeoutExpired("pip_audit", 1)])
def test_without_a_network_it_is_loud_and_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], out: Any
) -> None:
    assert ran(monkeypatch, out) == 0
    assert "NOT LOOKED UP" in capsys.readouterr().out


def test_what_the_list_does_not_know_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some = [*ALL_SKIPPED["dependencies"], {"name": "sound", "version": "1.0", "vulns": []}]
    assert ran(monkeypatch, json.dumps({"dependencies": some})) == 0
    assert "1 of 2 packages were NOT LOOKED UP" in capsys.readouterr().out


def test_it_asks_about_every_locked_package() -> None:
    lines = (audit.ROOT / audit.LOCK).read_text().splitlines()
    assert sum("==" in line for line in lines) > 80
    assert audit.LOCK in audit.command()
