#!/usr/bin/env python3
"""Makes what an installation needs before its first start: `.env`, and fresh secrets in files. `make init` runs it.

What is there already is kept, so that it may be run again; a secret is renewed by removing its file, and what holds it
is made anew with it. A login's new password has to be told the database too, by `ALTER ROLE`. Needs nothing but Python
itself.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Settings that may come from a file, each with the file of its secret.
FILES: Mapping[str, str] = {
    "CAESAR_SECRET_KEY": "secret-key",
    "CAESAR_API_KEY": "api-key",
    "CAESAR_DASHBOARD__TOKEN": "dashboard-token",
    "CAESAR_METRICS_TOKEN": "metrics-token",
}
# What holds a password: each file with that of the password.
HOLD: Mapping[str, str] = {
    "database-owner-url": "owner-password",
    "database-url": "service-password",
    "database-worker-url": "worker-password",
    "broker-url": "broker-password",
    "redis.acl": "broker-password",
}
NOTE = """\
# Made by `make init`. Secrets stand in the files named here, for nobody else to read. docker-compose.yml names the same
# files by itself, and gives its containers the rest of this file.
"""


def secret() -> str:
    return secrets.token_urlsafe(32)


def made(folder: Path) -> Mapping[str, Callable[[], str]]:
    """How the content of each file of secrets is made; those after others may need these."""

    def url(login: str, password: str) -> str:
        return f"postgresql://{login}:{(folder / password).read_text().strip()}@db:5432/caesar"

    return {
        "secret-key": secret,
        "api-key": lambda: "caesar_" + secret(),
        "dashboard-token": secret,
        "metrics-token": secret,
        "postgres-password": secret,
        "owner-password": secret,
        "service-password": secret,
        "worker-password": secret,
        "broker-password": secret,
        "grafana-password": secret,
        "database-owner-url": lambda: url("caesar_owner", "owner-password"),
        "database-url": lambda: url("caesar_service", "service-password"),
        "database-worker-url": lambda: url("caesar_host", "worker-password"),
        "broker-url": lambda: f"redis://caesar:{(folder / 'broker-password').read_text().strip()}@redis:6379/0",
        "redis.acl": lambda: _acl((folder / "broker-password").read_text().strip()),
    }


def _acl(password: str) -> str:
    digest = hashlib.sha256(password.encode()).hexdigest()
    return f"user default off\nuser caesar on #{digest} ~* &* +@all -@admin -@dangerous +info"


def make_secrets(folder: Path) -> list[Path]:
    """The files that were missing. The folder is its owner's alone; the files in it are read by containers' users."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    new = []
    for name, content in made(folder).items():
        path = folder / name
        renewed = folder / HOLD.get(name, name) in new
        if renewed or not path.exists() or not path.read_text().strip():
            path.unlink(missing_ok=True)  # nobody may write to it
            path.write_text(content() + "\n")
            new.append(path)
        path.chmod(0o444)
    return new


def make_env(path: Path, example: Path, folder: Path) -> bool:
    """`.env` from the example, with the secrets' files named in it. False: it is there already."""
    if path.exists():
        return False
    lines = example.read_text().splitlines()
    for name, file in FILES.items():
        place = lines.index(f"#{name}=")
        lines[place] = f"{name}_FILE={folder / file}"
    path.touch(mode=0o600)
    path.write_text(NOTE + "\n" + "\n".join(lines) + "\n")
    return True


def main() -> int:
    os.umask(0o077)
    folder = ROOT / "deploy" / "secrets"
    try:
        new = make_secrets(folder)
        fresh = make_env(ROOT / ".env", ROOT / ".env.example", folder)
    except OSError as error:
        sys.stderr.write(f"init: {error}\n")
        return 1
    sys.stdout.write(f"{folder}: {len(new)} secrets made, {len(made(folder)) - len(new)} were there\n")
    sys.stdout.write(f"{ROOT / '.env'}: {'made' if fresh else 'was there and is as it was'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
