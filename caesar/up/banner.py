"""What a person needs once everything runs: where to click, where the key is, what to paste."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from caesar.config import Config
from caesar.embedded import home
from caesar.up.children import reachable
from memory.errors import ModelError
from memory.llm.routing import default_route

if TYPE_CHECKING:
    from caesar.up.first_start import Prepared


def address(config: Config) -> str:
    """Where a browser finds the web server: where the operator says, else where it listens on this machine."""
    if config.public_url:
        return f"{config.public_url}/"
    host = reachable(config.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{config.port}/"


def running_address(config: Config) -> str:
    """Where the installation in this home listens right now, whatever this shell's settings say; else as configured."""
    lock = home.Lock(config.home / "lock")
    said = lock.holder().note if lock.path.exists() else ""
    return said if said.startswith("http") else address(config)


def curl_line(config: Config, key_file: Path) -> str:
    """A first chat, to be pasted into a shell in any folder. The key itself is not in it."""
    body = json.dumps({"messages": [{"role": "user", "content": "My dog is called Beans."}]})
    return (
        f'curl -s {address(config)}v1/chat -H "Authorization: Bearer $(cat {shlex.quote(str(key_file))})" '
        f"-H 'Content-Type: application/json' -d {shlex.quote(body)}"
    )


def banner(config: Config, prepared: Prepared) -> str:
    lines = [
        "",
        "CAESAR memory is up. Ctrl-C ends it.",
        "",
        f"  Dashboard  {prepared.login_url}",
        "             (opens once, within a quarter of an hour; `python3 manage.py login_link` prints another)",
        f"  API key    in {prepared.key_file}",
        f"  Model      {_model(config)}",
        "",
        "Tell it something:",
        "",
        prepared.curl,
        "",
    ]
    return "\n".join(lines)


def _model(config: Config) -> str:
    if config.llm.provider != "builtin":
        try:
            return default_route(config.llm).identity
        except ModelError as error:
            return f"{config.llm.provider}: {error}"
    if config.llm.builtin.model_path is not None:
        return f"{config.llm.builtin.model_path.name}, in the box"
    return (
        "none is configured: facts come from fixed English patterns, answers from memory alone.\n"
        "             A local one: CAESAR_LLM__PROVIDER=ollama CAESAR_LLM__MODEL=llama3.1:8b make up\n"
        "             A hosted one (anthropic, openai) needs its API key as well: see .env.example"
    )
