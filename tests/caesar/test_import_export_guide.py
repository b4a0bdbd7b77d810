"""Every command of docs/how-to/import-export.md, run as it stands there."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from memory import apikeys, facts, profiles
from tests.memory.portable import archives
from tests.processes import ROOT

GUIDE = (ROOT / "docs" / "how-to" / "import-export.md").read_text()
LINES = [line for block in re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL) for line in block.splitlines()]


@pytest.fixture
def shell(web, tmp_path):
    operator = profiles.ensure_operator()
    facts.author(profile_id=operator.profile_id, fields={"key": "dog.name", "value": "Beans"})
    _, key = apikeys.create(user_id=operator.user_id, name="guide")
    (tmp_path / "archive.json").write_bytes(archives.claude(archives.thread("a", "I like fog.", "Noted.")))

    def run(line: str) -> subprocess.CompletedProcess[str]:
        said = line.replace("python manage.py", f"{sys.executable} {ROOT / 'manage.py'}")
        said = re.sub(r"\bFILE\b", "archive.json", said).replace("--profile NAME", "--profile default")
        env = os.environ | {"URL": web.url, "KEY": key}
        return subprocess.run(
            ["bash", "-ec", said], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False
        )

    return run


@pytest.mark.parametrize("line", LINES)
def test_it_does_what_the_guide_says(shell, tmp_path, line):
    if line.startswith("curl") and not shutil.which("curl"):
        pytest.skip("there is no curl here")
    done = shell(line)
    assert done.returncode == 0, done.stderr
    assert '"error"' not in done.stdout
    if written := re.search(r"(?:--output|-o) (\S+)", line):
        assert "Beans" in (tmp_path / written[1]).read_text()
    elif "import" in line:
        assert "messages" in done.stdout
