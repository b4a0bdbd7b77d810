"""Starts the process that converts a document, watches it, and says in a sentence what went wrong there."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import structlog

from memory.config import conf
from memory.documents import child
from memory.documents.formats import Format
from memory.documents.pages import Limits, Page
from memory.documents.refusing import ConverterBusy, DocumentRefused, refused

LOG = structlog.get_logger(__name__)
UNPACKED = 10  # a document may unpack to so many times what a file may have
AT_ONCE = threading.BoundedSemaphore(2)  # of one process, so that a pile of documents leaves room for chats
_ROOT = Path(__file__).resolve().parents[2]


def limits() -> Limits:
    """What the settings allow."""
    rules = conf().memory.documents
    return Limits(
        pages=rules.max_pages,
        chars=rules.max_chars,
        unpacked=UNPACKED * rules.max_bytes,
        memory_mb=rules.memory_mb,
        seconds=rules.timeout_seconds,
    )


def convert(data: bytes, kind: Format) -> list[Page]:
    """The pages that have text. Call with no transaction open. Raises DocumentRefused; ConverterBusy."""
    allowed = limits()
    if not AT_ONCE.acquire(timeout=2 * allowed.seconds):
        raise ConverterBusy
    try:
        answer = _run(data, kind, allowed)
    finally:
        AT_ONCE.release()
    pages = [(page, text) for page, text in answer.get("pages", [])]
    why = answer.get("refused") or ("" if pages else "no_text")
    if why:
        raise _said(str(why), kind, allowed)
    return pages


def without_text(kind: Format) -> DocumentRefused:
    """For a document in whose text there is nothing that can be seen."""
    return _said("no_text", kind, limits())


def _run(data: bytes, kind: Format, allowed: Limits) -> dict[str, Any]:
    command = [sys.executable, "-m", child.__name__, kind.value, child.packed(allowed)]
    environment = {"PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command,
            input=data,
            capture_output=True,
            timeout=allowed.seconds,
            cwd=_ROOT,
            env=environment,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"refused": "too_slow"}
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        return {"refused": _ended(done, kind)}


def _ended(done: subprocess.CompletedProcess[bytes], kind: Format) -> str:
    """Why it gave no answer: killed for its limits, or broken by what it read, whose words the log is not to have."""
    last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    error = last[0].partition(":")[0][:100] if last else ""
    LOG.warning("converter_ended", returncode=done.returncode, format=kind.value, error=error)
    if done.returncode > 0:
        return "damaged"
    return "too_slow" if done.returncode in (-signal.SIGKILL, -signal.SIGXCPU) else "too_hungry"


def _said(why: str, kind: Format, allowed: Limits) -> DocumentRefused:
    name = {Format.PDF: "PDF", Format.DOCX: "Word document"}.get(kind, "text")
    sentences = {
        "too_many_pages": f"It has more than {allowed.pages:,} pages.",
        "too_long": f"It has more than {allowed.chars:,} characters of text.",
        "bomb": "It unpacks to far more than a document has.",
        "encrypted": "It is locked with a password, or protected against copying: save it without.",
        "damaged": f"It is damaged, or no {name}.",
        "mismatch": f"The name says {name}, but the file holds something else.",
        "no_text": "There is no text in it; of pictures of text nothing can be read.",
        "too_slow": f"It could not be read within {allowed.seconds} seconds.",
        "too_hungry": f"It cannot be read with {allowed.memory_mb:,} MB of memory.",
    }
    return refused(why, sentences[why])
