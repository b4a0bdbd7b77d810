"""`deploy/setup.sh` with a stand-in for Python that writes down what it is asked to do."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from caesar.config import ROOT

PYTHON = """#!/bin/sh
echo "$*" >> "{calls}"
case "$*" in
    *"-m venv .venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    *"{fails}"*) exit 1 ;;
esac
"""


class Tree:
    """A folder with the script, a requirements file and a Python that fails at whatever has `fails` in it."""

    def __init__(self, path: Path, fails: str = "nothing-at-all") -> None:
        self.path = path
        self.calls = path / "calls"
        self.calls.touch()
        (path / "deploy").mkdir()
        shutil.copy(ROOT / "deploy" / "setup.sh", path / "deploy")
        (path / "requirements.txt").write_text("django==5\n")
        self.python = path / "fake-python"
        self.python.write_text(PYTHON.format(calls=self.calls, fails=fails))
        self.python.chmod(0o755)

    def run(
        self, python: str | None = None, files: Sequence[str] = ("requirements.txt",)
    ) -> subprocess.CompletedProcess[str]:
        self.calls.write_text("")
        env = {**os.environ, "PYTHON": python or str(self.python)}
        return subprocess.run([self.path / "deploy" / "setup.sh", *files], env=env, capture_output=True, text=True)


def test_it_installs_once_and_then_says_nothing(tmp_path: Path) -> None:
    tree = Tree(tmp_path, fails="uv==")
    first = tree.run()
    assert first.returncode == 0
    assert "making .venv" in first.stderr
    assert "installing what requirements.txt lists" in first.stderr
    second = tree.run()
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert "install" not in tree.calls.read_text()


def test_it_installs_again_when_the_list_has_changed(tmp_path: Path) -> None:
    tree = Tree(tmp_path, fails="uv==")
    tree.run()
    (tmp_path / "requirements.txt").write_text("django==6\n")
    assert "installing" in tree.run().stderr


def test_it_takes_pip_where_uv_does_not_work(tmp_path: Path) -> None:
    tree = Tree(tmp_path, fails="uv==")
    assert "trying pip" in tree.run().stderr
    assert "-m pip install --disable-pip-version-check --requirement requirements.txt" in tree.calls.read_text()


def test_it_does_not_take_a_failed_installation_for_done(tmp_path: Path) -> None:
    tree = Tree(tmp_path, fails="pip install")
    first = tree.run()
    assert first.returncode == 1
    assert first.stderr.rstrip().splitlines()[-1].startswith("setup: requirements.txt cannot be installed")
    assert "installing" in tree.run().stderr


def test_it_makes_the_environment_anew_where_its_python_is_gone(tmp_path: Path) -> None:
    tree = Tree(tmp_path, fails="uv==")
    tree.run()
    (tmp_path / ".venv/bin/python").unlink()
    assert "making .venv" in tree.run().stderr


@pytest.mark.parametrize(
    ("fails", "python", "sentence"),
    [
        ("version_info", None, "does not run or is older than 3.11: name another one."),
        ("nothing", "/no/such/python", "PYTHON=/no/such/python does not run"),
        ("ensurepip", None, "has no venv module: install it (Debian, Ubuntu: apt install python3-venv)."),
    ],
)
def test_it_says_what_to_do_about_python(tmp_path: Path, fails: str, python: str | None, sentence: str) -> None:
    done = Tree(tmp_path, fails=fails).run(python)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_small_set_is_installed_without_what_its_packages_name(tmp_path: Path) -> None:
    tree = Tree(tmp_path, fails="uv==")
    (tmp_path / "requirements-onnx.txt").write_text("onnxruntime==1\n")
    tree.run(files=["requirements-onnx.txt"])
    assert "pip install --disable-pip-version-check --no-deps --requirement requirements-onnx.txt" in (
        tree.calls.read_text()
    )


def test_the_whole_set_takes_the_place_of_the_small_one(tmp_path: Path) -> None:
    tree = Tree(tmp_path, fails="uv==")
    (tmp_path / "requirements-onnx.txt").write_text("onnxruntime==1\n")
    tree.run(files=["requirements-onnx.txt"])
    assert (tmp_path / ".venv/installed-requirements-onnx.txt").exists()
    tree.run()
    assert not (tmp_path / ".venv/installed-requirements-onnx.txt").exists()


@pytest.mark.parametrize(
    ("given", "small", "wanted"),
    [
        ([], False, "requirements.txt"),
        (["SMALL=1"], False, "requirements-onnx.txt"),
        ([], True, "requirements-onnx.txt"),
        (["SMALL="], True, "requirements.txt"),
    ],
)
def test_an_environment_that_was_made_small_stays_small(
    tmp_path: Path, given: list[str], small: bool, wanted: str
) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    if small:
        (tmp_path / ".venv").mkdir()
        (tmp_path / ".venv/installed-requirements-onnx.txt").touch()
    # The suite may itself run under a make, whose flags are not this one's.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    make = ["make", "-n", "--no-print-directory", "venv", *given]
    done = subprocess.run(make, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["deploy/setup.sh", wanted]


def test_the_locks_agree_and_the_small_one_has_no_torch() -> None:
    def lock(name: str) -> dict[str, str]:
        lines = (ROOT / name).read_text().splitlines()
        return dict(line.split("==", 1) for line in lines if line and not line.startswith("#"))  # type: ignore[misc]

    whole, small, development = (lock(f"requirements{which}.txt") for which in ("", "-onnx", "-dev"))
    assert small.items() <= whole.items() <= development.items()
    assert not {"torch", "sentence-transformers", "scipy"} & set(small)
    assert whole["torch"] == "2.13.0"
