"""How long archives of chats take to import, without being read for facts, and how much memory that takes."""

from __future__ import annotations

import json
import os
import random
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from bench.stack import Stack, person
from bench.tables import table

TURNS = 10
SIZES = (5_000, 50_000)  # messages
TEXT = (
    "the dog likes walking in park every morning before work and we should meet Tuesday about project atlas budget "
    "thanks maybe river code function return value python server please explain why this fails with error message"
)


def run(stack: Stack) -> None:
    """A ChatGPT archive of two sizes, and the larger one again; our own export of it, and that into another profile."""
    rows: dict[str, list[float]] = {}
    _, warm, _ = person("warm")
    _imported(warm, _archive(stack.home, 100))  # libraries are loaded
    for messages in SIZES:
        _, profile_id, _ = person(f"archive-{messages}")
        path = _archive(stack.home, messages)
        rows[f"{messages:,} messages"] = _imported(profile_id, path)
    rows["the same again"] = _imported(profile_id, path)
    export = stack.home / "export.jsonl"
    rows["exported"] = _exported(profile_id, export)
    _, other, _ = person("other")
    rows["the export imported"] = _imported(other, export)
    rows["the export again"] = _imported(other, export)
    table("Archives, imported and exported", ["seconds", "MB of file", "more MB held"], rows)


def _imported(profile_id: uuid.UUID, path: Path) -> list[float]:
    from memory.portable import importing

    process = psutil.Process(os.getpid())
    before = highest = process.memory_info().rss

    def look(done: int, total: int) -> None:
        nonlocal highest
        highest = max(highest, process.memory_info().rss)

    begin = time.perf_counter()
    importing.run(profile_id=profile_id, path=path, progress=look)
    return [time.perf_counter() - begin, path.stat().st_size / 1e6, (highest - before) / 1e6]


def _exported(profile_id: uuid.UUID, path: Path) -> list[float]:
    from memory.portable import exporting

    process = psutil.Process(os.getpid())
    before = process.memory_info().rss
    begin = time.perf_counter()
    exporting.to_file(profile_id=profile_id, form=exporting.Form.JSONL, path=path, actor="operator")
    seconds = time.perf_counter() - begin
    return [seconds, path.stat().st_size / 1e6, (process.memory_info().rss - before) / 1e6]


def _archive(home: Path, messages: int) -> Path:
    path = home / f"archive-{messages}.json"
    chance = random.Random(7)
    with path.open("w") as out:
        for n, thread in enumerate(_threads(messages, chance)):
            out.write("," if n else "[")
            json.dump(thread, out)
        out.write("]")
    return path


def _threads(messages: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    for n in range(messages // (2 * TURNS)):
        nodes: dict[str, Any] = {}
        last = None
        for turn in range(2 * TURNS):
            name = str(uuid.UUID(int=chance.getrandbits(128), version=4))
            length = chance.randint(40, 300) if turn % 2 else chance.randint(5, 40)
            message = {
                "id": name,
                "author": {"role": "assistant" if turn % 2 else "user"},
                "create_time": 1.7e9 + 9_000 * n + 60 * turn,
                "content": {"content_type": "text", "parts": [" ".join(chance.choices(TEXT.split(), k=length))]},
            }
            nodes[name] = {"id": name, "parent": last, "children": [], "message": message}
            last = name
        yield {"id": f"thread-{n}", "title": f"Thread {n}", "mapping": nodes, "current_node": last}
