"""`make init`: fresh secrets, for nobody else to read, and a `.env` that the settings take."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from caesar.config import ROOT, Config
from tests.deploy import reading


def init(tree: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-I", "deploy/init.py"],
        cwd=tree,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "deploy").mkdir()
    shutil.copy(ROOT / "deploy" / "init.py", tmp_path / "deploy")
    shutil.copy(ROOT / ".env.example", tmp_path)
    return tmp_path


def contents(tree: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (tree / "deploy" / "secrets").iterdir()}


def test_it_makes_every_secret_that_compose_names(tree: Path) -> None:
    init(tree)
    named = {Path(each["file"]).name for each in reading.compose()["secrets"].values()}
    made = contents(tree)
    assert named <= set(made)
    assert set(made) - named == {"broker-password"}
    fresh = [text for name, text in made.items() if not name.endswith(("url", ".acl"))]
    assert len(set(fresh)) == len(fresh)
    assert min(map(len, fresh)) > 40
    assert made["service-password"].strip() in made["database-url"]


def test_nobody_else_gets_at_them(tree: Path) -> None:
    init(tree)
    folder = tree / "deploy" / "secrets"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (tree / ".env").stat().st_mode & 0o777 == 0o600
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"deploy/secrets/", ".env"} <= set(ignored)


def test_a_renewed_password_is_in_all_that_holds_it(tree: Path) -> None:
    init(tree)
    before = contents(tree)
    secrets = tree / "deploy" / "secrets"
    (secrets / "broker-password").unlink()
    (secrets / "service-password").chmod(0o600)
    (secrets / "service-password").write_text("\n")
    (secrets / "service-password").chmod(0o444)
    init(tree)
    after = contents(tree)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"broker-password", "broker-url", "redis.acl", "service-password", "database-url"}
    assert after["broker-password"].strip() in after["broker-url"]
    assert after["service-password"].strip() in after["database-url"]
    assert {path.stat().st_mode & 0o777 for path in secrets.iterdir()} == {0o444}


def test_two_installations_share_none(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(tree, other, dirs_exist_ok=True)
    init(tree)
    init(other)
    one, two = contents(tree), contents(other)
    assert [name for name in one if one[name] == two[name]] == []


def test_it_keeps_what_is_there_and_renews_what_was_removed(tree: Path) -> None:
    init(tree)
    before, env = contents(tree), (tree / ".env").read_text()
    (tree / "deploy" / "secrets" / "metrics-token").unlink()
    said = init(tree)
    after = contents(tree)
    assert [name for name in before if before[name] != after[name]] == ["metrics-token"]
    assert (tree / ".env").read_text() == env
    assert "1 secrets made" in said


def test_the_settings_take_its_env(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    init(tree)
    monkeypatch.setenv("CAESAR_ENV_FILE", str(tree / ".env"))
    found = Config()
    secrets = contents(tree)
    assert found.secret_key.get_secret_value() == secrets["secret-key"].strip()
    assert found.api_key.get_secret_value() == secrets["api-key"].strip()
    assert found.dashboard.token.get_secret_value() == secrets["dashboard-token"].strip()
    assert found.metrics_token.get_secret_value() == secrets["metrics-token"].strip()
    assert not found.database_url.get_secret_value()
    assert yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["web"]["environment"]
