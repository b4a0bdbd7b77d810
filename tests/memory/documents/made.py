"""Documents that are made for a test: good ones, and such as want to do harm."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import docx
from pypdf import PdfReader, PdfWriter

CV = (
    "Anna Silva\nI live in Porto.\nMy dog is called Beans.",
    "Experience\nI work as a harbour pilot.\nI speak Portuguese and Basque.",
)


def pdf(*pages: str) -> bytes:
    """A PDF with a page for each text, a line for each of its lines."""
    objects: list[bytes] = []

    def put(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    font = put(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    tree = len(pages) * 2 + 2
    kids = []
    for text in pages:
        stream = _shown(text)
        content = put(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        kids.append(
            put(
                b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
                b" /Resources << /Font << /F1 %d 0 R >> >> >>" % (tree, content, font)
            )
        )
    put(b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(b"%d 0 R" % kid for kid in kids)))
    root = put(b"<< /Type /Catalog /Pages %d 0 R >>" % tree)
    return _file(objects, root)


def _shown(text: str) -> bytes:
    lines = [
        line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        for line in text.split("\n")
    ]
    return b"BT /F1 12 Tf 14 TL 50 780 Td " + b" T* ".join(b"(%s) Tj" % line for line in lines) + b" ET"


def _file(objects: Sequence[bytes], root: int) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, root, start)
    return bytes(out)


def locked(data: bytes, *, user: str = "secret", owner: str = "boss", algorithm: str = "RC4-128") -> bytes:
    """The same PDF, encrypted."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(user, owner, algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def word(*paragraphs: str, table: Sequence[Sequence[str]] = ()) -> bytes:
    """A Word document with these paragraphs, and a table behind them."""
    made = docx.Document()
    for text in paragraphs:
        made.add_paragraph(text)
    if table:
        rows = made.add_table(rows=0, cols=len(table[0]))
        for cells in table:
            for cell, text in zip(rows.add_row().cells, cells, strict=True):
                cell.text = text
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """The same archive with a part replaced or added."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for each in old.namelist():
            if each != name:
                new.writestr(each, old.read(each))
        new.writestr(name, content)
    return out.getvalue()


def bomb(size: int) -> bytes:
    """A small Word document that unpacks to so many bytes."""
    return with_part(word("Hello."), "word/media/image1.bin", b"\0" * size)
