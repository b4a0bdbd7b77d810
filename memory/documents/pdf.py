"""The text of a PDF, page by page."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError, PyPdfError
from pypdf.generic import DictionaryObject

from memory.documents.pages import Limits, Page, Unreadable

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it mends in a file is nobody's concern


def pages(data: bytes, limits: Limits) -> Iterator[Page]:
    """Raises Unreadable."""
    try:
        yield from _pages(data, limits)
    except (FileNotDecryptedError, DependencyError):
        raise Unreadable("encrypted") from None
    except LimitReachedError:
        raise Unreadable("bomb") from None
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise Unreadable("damaged") from None


def _pages(data: bytes, limits: Limits) -> Iterator[Page]:
    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):  # one that only forbids printing opens without a password
        raise Unreadable("encrypted")
    if _said(reader) > limits.pages or len(reader.pages) > limits.pages:
        raise Unreadable("too_many_pages")
    for number, page in enumerate(reader.pages, 1):
        yield number, page.extract_text()


def _said(reader: PdfReader) -> int:
    """How many pages the file says it has: looked at before they are counted."""
    tree = reader.root_object.get("/Pages")
    tree = tree.get_object() if tree is not None else None
    count = tree.get("/Count") if isinstance(tree, DictionaryObject) else None
    return int(count) if isinstance(count, int) else 0
