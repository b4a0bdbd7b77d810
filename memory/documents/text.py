"""Plain text and Markdown, which are read as they are."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from memory.documents.pages import Limits, Page, Unreadable

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def pages(data: bytes, limits: Limits) -> Iterator[Page]:
    """The text, UTF-8, UTF-16 with its mark, or else as Windows writes it. Raises Unreadable for what is no text."""
    text = _decoded(data)
    if _CONTROL.search(text):
        raise Unreadable("mismatch")
    yield None, text


def _decoded(data: bytes) -> str:
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        if encoding != "utf-8":
            raise Unreadable("damaged") from None
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        raise Unreadable("mismatch") from None
