"""The text of a Word document: paragraphs, and tables with a line for each row. It has no pages until it is printed."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import docx
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from lxml.etree import LxmlError

from memory.documents.pages import Limits, Page, Unreadable

MOST_PARTS = 5_000
_PARAGRAPH, _TABLE, _ROW, _CELL = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc")
_TEXT, _TAB = qn("w:t"), qn("w:tab")
_BREAKS = (qn("w:br"), qn("w:cr"))
_TWICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # says the same for old programs


def pages(data: bytes, limits: Limits) -> Iterator[Page]:
    """One text. Raises Unreadable."""
    try:
        _unpacks(data, limits)
        body = docx.Document(io.BytesIO(data)).element.body
    except zipfile.BadZipFile:
        raise Unreadable("damaged") from None
    except (OpcError, LxmlError, KeyError, ValueError, zlib.error, EOFError, NotImplementedError):
        raise Unreadable("damaged") from None
    yield None, "\n".join(_lines(body))


def _unpacks(data: bytes, limits: Limits) -> None:
    """Looks at what the archive says of its size before anything of it is unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    if any(part.flag_bits & 1 for part in parts):
        raise Unreadable("encrypted")
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > limits.unpacked:
        raise Unreadable("bomb")
    if "word/document.xml" not in {part.filename for part in parts}:
        raise Unreadable("mismatch")


def _lines(within: Any) -> Iterator[str]:
    for child in within.iterchildren():
        if child.tag == _PARAGRAPH:
            yield _text(child)
        elif child.tag == _TABLE:
            for row in child.iterchildren(_ROW):
                yield " | ".join(_cell(cell) for cell in row.iterchildren(_CELL))
        elif child.tag not in (_ROW, _CELL):  # a content control, an insertion
            yield from _lines(child)


def _cell(cell: Any) -> str:
    return " ".join(text for paragraph in cell.iter(_PARAGRAPH) if (text := _text(paragraph).strip()))


def _text(paragraph: Any) -> str:
    found: list[str] = []
    _collect(paragraph, found)
    return "".join(found)


def _collect(node: Any, found: list[str]) -> None:
    for child in node.iterchildren():
        if child.tag == _TEXT:
            found.append(child.text or "")
        elif child.tag == _TAB:
            found.append("\t")
        elif child.tag in _BREAKS:
            found.append("\n")
        elif child.tag != _TWICE:
            _collect(child, found)
