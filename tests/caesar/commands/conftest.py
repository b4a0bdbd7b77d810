"""Commands, run as a person runs them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.management import call_command, load_command_class

from tests.processes import ROOT


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def shell(*arguments: str, **env: str) -> Ran:
    """In a process of its own: what a shell sees."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def typed(*arguments: str) -> Ran:
    """In this process, with its arguments read as a shell's are: what is asked for wrongly ends with a code."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            load_command_class("caesar", arguments[0]).run_from_argv(["manage.py", *arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Ran(code, out.getvalue(), err.getvalue())


def run(*arguments: str) -> Ran:
    """In this process, which is quicker. Errors come through."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    try:
        call_command(*arguments, stdout=out, stderr=err)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return Ran(code, out.getvalue(), err.getvalue())


@pytest.fixture
def operator(database: object) -> int:
    from memory import profiles

    return profiles.ensure_operator().user_id
