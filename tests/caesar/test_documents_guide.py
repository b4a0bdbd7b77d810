"""Every command of docs/how-to/documents.md, run as it stands there; its table of refusals is the code's."""

import json
import os
import re
import shutil
import subprocess
import sys

import httpx
import pytest

from memory import apikeys, profiles
from memory.documents.refusing import STATUS
from tests.memory.documents import made
from tests.processes import ROOT

GUIDE = (ROOT / "docs" / "how-to" / "documents.md").read_text()
LINES = [line for block in re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL) for line in block.splitlines()]


def test_each_command_does_what_the_guide_says(web, tmp_path):
    if not shutil.which("curl"):
        pytest.skip("there is no curl here")
    operator = profiles.ensure_operator()
    _, key = apikeys.create(user_id=operator.user_id, name="guide")
    (tmp_path / "cv.pdf").write_bytes(made.pdf(*made.CV))
    (tmp_path / "brief.md").write_text("I have a boat.")
    auth = {"Authorization": f"Bearer {key}"}
    assert httpx.post(f"{web.url}/v1/spaces", json={"slug": "work"}, headers=auth).status_code == 201
    assert len(LINES) == 4
    for line in LINES:
        there = httpx.get(f"{web.url}/v1/documents", headers=auth).json()["results"]
        env = os.environ | {"URL": web.url, "KEY": key, "ID": there[0]["id"] if there else ""}
        said = line.replace("python manage.py", f"{sys.executable} {ROOT / 'manage.py'}")
        done = subprocess.run(
            ["bash", "-ec", said], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        assert '"error"' not in done.stdout, line
        if "@cv.pdf" in line:
            assert json.loads(done.stdout)["name"] == "cv.pdf"
    left = httpx.get(f"{web.url}/v1/documents", headers=auth).json()["results"]
    assert [row["name"] for row in left] == ["cv.pdf"]


def test_it_names_every_refusal_with_its_status():
    rows = re.findall(r"^\| (`document_.+?) \| (\d+) \|", GUIDE, re.MULTILINE)
    named = {code: int(status) for codes, status in rows for code in re.findall(r"`document_(\w+)`", codes)}
    assert named == STATUS
