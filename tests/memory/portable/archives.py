"""Files as other products export them, made of conversations: [(id, title, [(id, role, text, time)])]."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Said = tuple[str, str, str, float]
Thread = tuple[str, str, Sequence[Said]]
MONDAY = 1_716_199_200.0  # 2024-05-20T10:00:00Z


def thread(name: str, *texts: str, begin: float = MONDAY) -> Thread:
    """The person and the assistant in turn, a minute apart."""
    roles = ("user", "assistant")
    return name, f"About {name}", [(f"{name}-{n}", roles[n % 2], t, begin + 60 * n) for n, t in enumerate(texts)]


def chatgpt(*threads: Thread) -> bytes:
    return json.dumps([_chatgpt(*each) for each in threads]).encode()


def _chatgpt(name: str, title: str, said: Sequence[Said]) -> dict[str, Any]:
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    last = "root"
    for message_id, role, text, at in said:
        nodes[last]["children"].append(message_id)
        nodes[message_id] = {
            "id": message_id,
            "parent": last,
            "children": [],
            "message": {
                "id": message_id,
                "author": {"role": role, "name": None},
                "create_time": at,
                "content": {"content_type": "text", "parts": [text]},
                "metadata": {"model_slug": "gpt-4o"} if role == "assistant" else {},
            },
        }
        last = message_id
    return {
        "title": title,
        "create_time": said[0][3] if said else MONDAY,
        "mapping": nodes,
        "current_node": last,
        "conversation_id": name,
    }


def claude(*threads: Thread) -> bytes:
    from datetime import UTC, datetime

    def iso(at: float) -> str:
        return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")

    return json.dumps(
        [
            {
                "uuid": name,
                "name": title,
                "created_at": iso(MONDAY),
                "chat_messages": [
                    {
                        "uuid": i,
                        "sender": "human" if role == "user" else role,
                        "text": text,
                        "content": [{"type": "text", "text": text}],
                        "created_at": iso(at),
                    }
                    for i, role, text, at in said
                ],
            }
            for name, title, said in threads
        ]
    ).encode()


def openwebui(*threads: Thread) -> bytes:
    return json.dumps([_openwebui(*each) for each in threads]).encode()


def _openwebui(name: str, title: str, said: Sequence[Said]) -> dict[str, Any]:
    nodes = {
        i: {
            "id": i,
            "role": role,
            "content": text,
            "timestamp": int(at),
            "parentId": said[n - 1][0] if n else None,
            "model": "llama3",
        }
        for n, (i, role, text, at) in enumerate(said)
    }
    history = {"messages": nodes, "currentId": said[-1][0] if said else None}
    return {"id": name, "title": title, "chat": {"history": history}, "created_at": int(MONDAY)}


def zipped(**files: bytes) -> bytes:
    """Names with an underscore for the dot."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return out.getvalue()


def caesar_sqlite(
    path: Path, facts: Sequence[tuple[str, str]], chats: Sequence[tuple[int, dict[str, Any]]] = ()
) -> bytes:
    """The tables of a CAESAR file."""
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TABLE personal_facts (id INTEGER PRIMARY KEY, key TEXT NOT NULL, value TEXT NOT NULL,"
            " confidence REAL NOT NULL DEFAULT 1.0, first_seen_at DATETIME NOT NULL,"
            " last_confirmed_at DATETIME NOT NULL, source_audit_id INTEGER, UNIQUE(key))"
        )
        db.execute(
            "CREATE TABLE audit_log (id INTEGER PRIMARY KEY, event_type TEXT, payload TEXT, created_at DATETIME)"
        )
        for key, value in facts:
            db.execute(
                "INSERT INTO personal_facts (key, value, confidence, first_seen_at, last_confirmed_at)"
                " VALUES (?, ?, 0.9, '2024-05-01 10:00:00', '2024-05-20 10:00:00.5')",
                [key, value],
            )
        for number, payload in chats:
            db.execute(
                "INSERT INTO audit_log VALUES (?, 'chat.completed', ?, '2024-05-20 10:00:00')",
                [number, json.dumps(payload)],
            )
        db.execute("INSERT INTO audit_log VALUES (9999, 'tool.called', '{}', '2024-05-20 10:00:00')")
    db.close()
    return path.read_bytes()


def braincue(path: Path, memories: Sequence[dict[str, Any]], packs: Sequence[tuple[str, str]] = ()) -> bytes:
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE packs (id TEXT PRIMARY KEY, name TEXT)")
        db.execute(
            "CREATE TABLE memories (id TEXT PRIMARY KEY, profile_id TEXT, pack_id TEXT, category TEXT, content TEXT,"
            " source_refs TEXT, source_kind TEXT, confidence REAL, importance REAL, sensitive INTEGER,"
            " approval_status TEXT, fact_key TEXT, valid_from INTEGER, valid_to INTEGER, superseded_by TEXT,"
            " embedding BLOB, created_at INTEGER, updated_at INTEGER, last_used_at INTEGER, expires_at INTEGER)"
        )
        db.executemany("INSERT INTO packs VALUES (?, ?)", packs)
        for n, memory in enumerate(memories):
            row = {"id": f"m{n}", "profile_id": "p1", "approval_status": "approved", "confidence": 0.8} | memory
            names = ", ".join(row)
            db.execute(f"INSERT INTO memories ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
    db.close()
    return path.read_bytes()
