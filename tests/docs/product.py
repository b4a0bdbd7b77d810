"""One product for all documents: `make up` in a clone of the repository, and a shell in that folder.

The clone is a folder of links. Its home, its port, /etc, /opt and /tmp are the tests' own: in commands their paths are
written anew, nothing else. What a document finds in its folder (`conversations.json`, `cv.pdf`, …) is put there before.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg

from caesar.embedded import urls
from tests.memory.documents import made
from tests.memory.portable import archives
from tests.processes import ROOT, Process, eventually, free_port

PROGRAMS = Path(__file__).parent / "programs"
LEFT_OUT = {".git", ".venv", "var", ".env", ".hypothesis"}
OUR_MESSAGES = re.compile(r'"error":\s*\{')
LONGEST_SECONDS = 120
PASSWORD = "of-a-login-that-a-document-makes"
ADD_ACCOUNT = "/admin/auth/user/add/"
STAMPS = ("requirements.txt", "requirements-onnx.txt", "requirements-dev.txt", "requirements-llama.txt")


@dataclass(frozen=True)
class Done:
    """What became of a command."""

    code: int
    out: str

    @property
    def well(self) -> bool:
        return self.code == 0 and not OUR_MESSAGES.search(self.out)


@dataclass
class Product:
    """The clone, where it is served, and what commands see of the machine."""

    place: Path
    port: int = field(default_factory=free_port)

    @property
    def clone(self) -> Path:
        return self.place / "clone"

    @property
    def home(self) -> Path:
        return self.clone / "var"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str:
        return (self.home / "api-key").read_text().strip()

    @property
    def settings(self) -> dict[str, str]:
        return {
            "CAESAR_HOME": str(self.home),
            "CAESAR_PORT": str(self.port),
            "CAESAR_ENV_FILE": os.devnull,
            "CAESAR_SEMANTIC__PROVIDER": "onnx",
            "CAESAR_MEMORY__FACTS_EXTRACT__INTERVAL_SECONDS": "1",
            "CAESAR_MEMORY__EPISODES_SUMMARISE__INTERVAL_SECONDS": "1",
        }

    @property
    def environment(self) -> dict[str, str]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("CAESAR_", "DJANGO_"))}
        return (
            plain
            | self.settings
            | {
                "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
                "DOCS_PYTHON": sys.executable,
                "DOCS_MAKE": shutil.which("make") or "make",
                "DOCS_CELERY": str(Path(sys.executable).with_name("celery")),
                "DOCS_ZYGOTE": str(self.place / "zygote"),
                "DOCS_SETTINGS": json.dumps(self.settings),
                "DOCS_STARTED": str(self.place / "started"),
                "DOCS_INIT": str(self.place / "init"),
                "DOCS_CLONE": str(self.clone),
                "DOCS_ROOT": str(ROOT),
                "DOCS_ETC": str(self.place / "etc"),
            }
        )

    def here(self, line: str) -> str:
        """A command with the paths and the address of this product; what is restored goes to another home."""
        if "manage.py restore" in line and "CAESAR_HOME" not in line:
            line = f"CAESAR_HOME=/tmp/try {line}"
        line = re.sub(r"(?<![\w/.-])/(etc|opt|tmp)/", lambda m: f"{self.place}/{m[1]}/", line)
        return line.replace("http://127.0.0.1:8000", self.url).replace("/path/to/caesar", str(self.clone))

    def is_at_work(self) -> bool:
        """Whether a worker answers, and the scheduler has looked for chats."""
        found = httpx.get(f"{self.url}/readyz").json()
        cursors = found["checks"]["cursor"].get("cursors", [])
        return bool(found["status"] == "ready" and cursors and all(each["ticked_at"] for each in cursors))

    def events(self) -> dict[str, set[str]]:
        """Which types of events the log has by now, and which fields their payloads hold."""
        with psycopg.connect(urls.database_url(self.home, "superuser")) as connection:
            rows = connection.execute("SELECT event_type, jsonb_object_keys(payload) FROM audit_log").fetchall()
        found: dict[str, set[str]] = {}
        for event, name in rows:
            found.setdefault(event, set()).add(name)
        return found

    def ask_database(self, statements: str) -> None:
        """As its superuser. A login that is made so is the one whose address lies in /etc/caesar from then on."""
        with psycopg.connect(urls.database_url(self.home, "superuser"), autocommit=True) as connection:
            connection.execute(statements.replace("<password>", PASSWORD).encode())
        if made := re.search(r"CREATE ROLE (\w+) LOGIN", statements):
            address = urls.service_url(self.home).split("@", 1)[1]
            secret = self.place / "etc" / "caesar" / "database-url"
            secret.write_text(f"postgresql://{made[1]}:{PASSWORD}@{address}")


@contextmanager
def running(place: Path) -> Iterator[Product]:
    product = Product(place)
    _laid_out(product)
    environment = product.environment
    zygote = Process("zygote", [sys.executable, "-m", "tests.docs.zygote", environment["DOCS_ZYGOTE"]], environment)
    up = Process(
        "up", [environment["DOCS_MAKE"], "-C", str(product.clone), "up"], environment | {"DOCS_ZYGOTE": "none"}
    )
    try:
        up.wait_for("ready after", 180)
        eventually(lambda: Path(environment["DOCS_ZYGOTE"]).exists())
        eventually(product.is_at_work, seconds=120)
        (place / "started").write_text(up.said())
        _secrets(product)
        yield product
    finally:
        up.stop()
        zygote.stop()


def _laid_out(product: Product) -> None:
    clone, place = product.clone, product.place
    for folder in ("etc/caesar", "etc/systemd/system", "opt", "tmp", "init/deploy", "clone/.venv/bin"):
        (place / folder).mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.name not in LEFT_OUT:
            (clone / path.name).symlink_to(path)
    for path in Path(sys.executable).parent.iterdir():
        (clone / ".venv" / "bin" / path.name).symlink_to(path)
    (clone / ".venv" / "bin" / "python").unlink()
    (clone / ".venv" / "bin" / "python").symlink_to(PROGRAMS / "python")
    for name in STAMPS:  # as if `make up` had installed them
        stamp = subprocess.run(["cksum"], input=(ROOT / name).read_bytes(), capture_output=True, check=True).stdout
        (clone / ".venv" / f"installed-{name}").write_bytes(stamp)
    for name in ("deploy/init.py", ".env.example"):
        shutil.copy(ROOT / name, place / "init" / name)
    said = archives.thread("archive-1", "I like fog, and I work as a harbour pilot.", "Noted.")
    (clone / "conversations.json").write_bytes(archives.claude(said))
    (clone / "cv.pdf").write_bytes(made.pdf(*made.CV))
    (clone / "brief.md").write_text("I have a boat.")


def _secrets(product: Product) -> None:
    """What the documents say lies in /etc/caesar."""
    etc = product.place / "etc" / "caesar"
    (etc / "anthropic-key").write_text("sk-ant-not-a-real-key")
    (etc / "database-url").write_text(urls.service_url(product.home))
    (etc / "broker-url").write_text(urls.broker_url(product.home))


class Shell:
    """Runs commands one by one, as somebody who pastes them: variables and the folder stay from one to the next."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self._state = product.place / "shell"
        self._state.write_text(f"cd {product.clone}\n")

    def anew(self) -> None:
        """As another terminal: variables stay, for documents name them once, but no setting of this product does."""
        lines = self._state.read_text().splitlines(keepends=True)
        self._state.write_text("".join(line for line in lines if not line.startswith("declare -x CAESAR_")))

    def run(self, line: str) -> Done:
        script = f"source {self._state}; set -aeo pipefail; {self._product.here(line)}\n"
        script += f"{{ export -p; printf 'cd %q\\n' \"$PWD\"; }} > {self._state}"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self._product.clone,
            env=self._product.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        return Done(done.returncode, done.stdout)

    def account(self, name: str) -> None:
        """Make an account as the documents say: the operator in the admin, and its person comes in by a link."""
        with self._browser() as operators:
            form = operators.get(ADD_ACCOUNT)
            password = "a sentence that nobody knows"
            typed = {"username": name, "usable_password": "true", "password1": password, "password2": password}
            came_from = {"Referer": f"{self._product.url}{ADD_ACCOUNT}"}
            sent = operators.post(ADD_ACCOUNT, data=_hidden(form.text) | typed, headers=came_from)
            assert "was added successfully" in sent.text, sent.text[-2000:]
        with self._browser(f"--user {name}") as theirs:
            assert "Facts" in theirs.get("/dashboard/facts").text

    @contextmanager
    def _browser(self, whose: str = "") -> Iterator[httpx.Client]:
        """A browser that a link has let in."""
        link = self.run(f"python3 manage.py login_link {whose}").out.strip()
        with httpx.Client(base_url=self._product.url, follow_redirects=True) as browser:
            page = browser.get(link)
            if "/login/" in str(page.url):
                browser.post(str(page.url), data=_hidden(page.text), headers={"Referer": str(page.url)})
            yield browser


def _hidden(page: str) -> dict[str, str]:
    """The hidden fields of a page's last form."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
    return dict(found)
