"""Secrets from files, warnings for the open, and doors that stay shut."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from caesar.config import PREFIX, ROOT, SECRETS, WrongSetting, environment, load

URL = "https://memory.example.org"


def manage(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=60,
    )


def value_of(name: str) -> str:
    found: object = load()
    for part in name.removeprefix(PREFIX).lower().split("__"):
        found = getattr(found, part)
    return str(found.get_secret_value())  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", SECRETS)
def test_each_secret_may_be_given_as_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret"
    path.write_text("a-secret-of-more-than-16-characters\n")
    monkeypatch.setenv(f"{name}_FILE", str(path))
    assert value_of(name) == "a-secret-of-more-than-16-characters"
    path.unlink()
    with pytest.raises(WrongSetting, match=f"{name}_FILE: the file"):
        environment()


def test_every_secret_of_the_settings_is_one_of_those() -> None:
    from caesar.envfile import fields

    secret = {name for name, _ in fields() if name.endswith(("_KEY", "_TOKEN", "_URL", "__TOKEN"))}
    plain = {name for name in secret if name.endswith(("__BASE_URL", "PUBLIC_URL"))}
    assert secret - plain == set(SECRETS)


@pytest.mark.parametrize("env", [{}, {"CAESAR_PUBLIC_URL": URL}, {"CAESAR_PUBLIC_URL": f"{URL}/caesar"}])
def test_nothing_is_to_be_said_of_a_sound_installation(env: dict[str, str]) -> None:
    done = manage("check", "--deploy", "--fail-level", "WARNING", **env)
    assert (done.returncode, "no issues" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize(
    ("env", "warning"),
    [
        ({"CAESAR_PUBLIC_URL": "http://memory.example.org"}, "caesar.W001"),
        ({"CAESAR_HOST": "0.0.0.0"}, "caesar.W002"),
        ({"CAESAR_ALLOWED_HOSTS": "*"}, "caesar.W003"),
        ({"CAESAR_TRUSTED_PROXIES": "0.0.0.0/0"}, "caesar.W004"),
    ],
)
def test_it_warns_of_what_is_open(env: dict[str, str], warning: str) -> None:
    done = manage("check", "--deploy", "--fail-level", "WARNING", **env)
    assert done.returncode == 1
    assert warning in done.stderr
    assert done.stderr.count("(caesar.W") == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CAESAR_PUBLIC_URL", "memory.example.org"),
        ("CAESAR_PUBLIC_URL", "https://user:pw@memory.example.org"),
        ("CAESAR_PUBLIC_URL", "https://memory.example.org/?x=1"),
        ("CAESAR_PUBLIC_URL", "https://memory.example.org/a//b"),
        ("CAESAR_PUBLIC_URL", "https://memory.example.org:99999"),
        ("CAESAR_OTLP_ENDPOINT", "collector:4317"),
        ("CAESAR_TRUSTED_PROXIES", "everyone"),
        ("CAESAR_RATE_LIMIT_PER_MINUTE", "-1"),
        ("CAESAR_LOG_FORMAT", "xml"),
        ("CAESAR_MEMORY__RETENTION_DAYS", "0"),
        ("CAESAR_MEMORY__RETENTION_DAYS", "1e9"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_named(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(WrongSetting, match=name):
        load()


def test_the_public_name_is_served_and_its_path_is_the_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAESAR_PUBLIC_URL", f"{URL}:8443/a/b/")
    found = load()
    assert "memory.example.org" in found.hosts
    assert (found.path_prefix, found.public_url) == ("/a/b", f"{URL}:8443/a/b")


def test_a_mistake_shows_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    from django.conf import settings

    assert settings.DEBUG is False
