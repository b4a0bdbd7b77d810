"""What is in the way of a start is found before anything is started, and said in one sentence."""

from __future__ import annotations

import os
import stat
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

from caesar.config import Config
from caesar.embedded import postgres as embedded_postgres
from caesar.embedded import valkey as embedded_valkey
from caesar.embedded.errors import CannotStart
from caesar.up import preflight
from tests.processes import free_port

Usage = namedtuple("Usage", "total used free")


def settings(home: Path, **more: Any) -> Config:
    return Config(home=home, port=free_port(), **more)


def test_it_finds_nothing_wrong_with_an_empty_home(tmp_path: Path) -> None:
    preflight.check_home(tmp_path / "home")
    preflight.check(settings(tmp_path / "home"))
    assert list((tmp_path / "home").iterdir()) == []
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


def test_it_wants_room_for_a_new_database_and_less_for_an_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caesar.up.preflight.shutil.disk_usage", lambda _: Usage(10**9, 10**9, 150_000_000))
    with pytest.raises(CannotStart, match=r"has 150 MB left and 300 MB are needed: free some space"):
        preflight.check(settings(tmp_path))
    (tmp_path / "postgres" / "data").mkdir(parents=True)
    preflight.check(settings(tmp_path))


def test_it_does_not_use_the_home_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesar.up.preflight.os.geteuid", lambda: os.getuid() + 1)
    with pytest.raises(CannotStart, match=rf"belongs to another user \(uid {os.getuid()}\)"):
        preflight.check_home(tmp_path)


def test_it_says_that_a_home_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("caesar.embedded.home.os.open", full)
    with pytest.raises(CannotStart, match=r"cannot be written \(No space left on device\): free some space"):
        preflight.check_home(tmp_path)


def test_it_says_that_root_needs_a_user_namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesar.embedded.postgres.os.geteuid", lambda: 0)
    monkeypatch.setattr(embedded_postgres, "as_other_user", lambda: ["false"])
    with pytest.raises(CannotStart, match="start as an ordinary user, or set CAESAR_DATABASE_URL"):
        preflight.check(settings(tmp_path))


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("postgresql://nobody@127.0.0.1:1/x", r"CAESAR_DATABASE_URL: the database cannot be used \(.*refused"),
        ("postgresql://nobody@no-such-host.invalid/x", "CAESAR_DATABASE_URL: the database cannot be used"),
    ],
)
def test_it_says_that_a_database_does_not_answer(tmp_path: Path, url: str, sentence: str) -> None:
    with pytest.raises(CannotStart, match=sentence) as caught:
        preflight.check(settings(tmp_path, database_url=url))
    assert "\n" not in str(caught.value)


def test_it_accepts_services_of_the_operators_own(tmp_path: Path) -> None:
    home = tmp_path / "theirs"
    with embedded_postgres.running(home, fast=True) as postgres, embedded_valkey.running(home) as valkey:
        preflight.check(settings(tmp_path / "ours", database_url=postgres.url("owner"), broker_url=valkey.url()))


def test_it_says_that_a_broker_does_not_answer(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"CAESAR_BROKER_URL: the broker does not answer"):
        preflight.check(settings(tmp_path, broker_url="redis://127.0.0.1:1/0"))


def test_it_says_that_the_model_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"MODEL_PATH: there is no file .*/model\.gguf"):
        preflight.check(settings(tmp_path, llm={"builtin": {"model_path": tmp_path / "model.gguf"}}))
