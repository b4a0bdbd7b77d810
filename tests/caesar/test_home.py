"""CAESAR_HOME: private files, secrets made once, one holder of the lock."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from caesar.embedded import home, urls
from caesar.embedded.errors import CannotStart


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_makes_folders_and_secrets_for_this_user_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        home.secret(tmp_path / "home", "deep/er/secret-key")
    finally:
        os.umask(old)
    assert mode(tmp_path / "home") == 0o700
    assert mode(tmp_path / "home/deep/er") == 0o700
    assert mode(tmp_path / "home/deep/er/secret-key") == 0o600


def test_it_makes_a_secret_once_whoever_asks_first(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(lambda _: home.secret(tmp_path, "secret-key"), range(64)))
    assert len(secrets) == 1
    assert len(secrets.pop()) == 64
    assert [p.name for p in tmp_path.iterdir()] == ["secret-key"]


def test_it_makes_a_secret_anew_where_a_full_disk_left_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "secret-key").touch()
    assert len(home.secret(tmp_path, "secret-key")) == 64


def test_it_says_which_folder_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotStart, match=r"The folder .*/file/home cannot be made .*CAESAR_HOME"):
        home.folder(tmp_path / "file" / "home")


def test_it_keeps_sockets_in_the_home_while_their_path_is_short() -> None:
    assert home.sockets(Path("/srv/caesar")) == Path("/srv/caesar/run")


@pytest.mark.parametrize("path", ["/srv/" + "deep/" * 30, "/srv/ä", "/srv/with space", "/srv/a,b", "/srv/a?b"])
def test_it_keeps_sockets_in_a_short_folder_where_the_path_is_long_or_awkward(path: str) -> None:
    found = home.sockets(Path(path))
    assert found.parent == Path("/tmp")
    assert found == home.sockets(Path(path))
    assert found != home.sockets(Path(path + "x"))


def test_it_does_not_trust_a_socket_folder_that_somebody_else_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "SHORT_FOLDERS", tmp_path)
    deep = tmp_path / ("x" * 100)
    (tmp_path / "elsewhere").mkdir()
    home.sockets(deep).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CannotStart, match="belongs to somebody else"):
        home.make_sockets(deep)


def test_it_gives_urls_before_anything_was_started(tmp_path: Path) -> None:
    path = Path("/tmp") / tmp_path.name
    run = home.sockets(tmp_path)
    assert path != run
    service, owner = urls.service_url(tmp_path), urls.owner_url(tmp_path)
    assert service.startswith("postgresql://caesar_service:")
    assert service.endswith(f"@/caesar?host={run}")
    assert owner.startswith("postgresql://caesar_owner:")
    assert urls.service_url(tmp_path) == service
    assert urls.broker_url(tmp_path) == f"redis+socket://{run}/valkey.sock?virtual_host=0"


def test_it_lets_one_process_hold_the_lock_and_tells_the_next_who_that_is(tmp_path: Path) -> None:
    with home.Lock(tmp_path / "lock") as first:
        assert first.take("http://127.0.0.1:8000/") is None
        assert home.Lock(tmp_path / "lock").take() == home.Holder(os.getpid(), "http://127.0.0.1:8000/")
    again = home.Lock(tmp_path / "lock")
    assert again.take() is None
    again.release()


def test_it_lets_go_of_the_lock_when_the_holder_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from caesar.embedded.home import Lock\n"
        "lock = Lock(Path(sys.argv[1])); lock.take('here'); print('taken', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "lock")], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "taken\n"
    lock = home.Lock(tmp_path / "lock")
    holder = lock.take()
    assert holder is not None
    assert holder.pid == child.pid
    child.kill()
    child.wait()
    child.stdout.close()
    assert lock.take() is None
    lock.release()
