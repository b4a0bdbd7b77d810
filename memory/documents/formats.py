"""Which kind of document a file is: what its name says, and whether its first bytes agree."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePath

from memory.documents.refusing import refused


class Format(StrEnum):
    """What can be read."""

    TEXT = "text"
    MARKDOWN = "markdown"
    PDF = "pdf"
    DOCX = "docx"


ENDINGS = {
    ".txt": Format.TEXT,
    ".text": Format.TEXT,
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".pdf": Format.PDF,
    ".docx": Format.DOCX,
}
MOST_NAME = 200  # characters of a file's name
TAKEN = ", ".join(ENDINGS)
_HEAD = 1024  # a PDF may have some rubbish before its header
_OLE = b"\xd0\xcf\x11\xe0"  # an old Word file, or a new one that is locked with a password


def format_of(name: str, data: bytes) -> Format:
    """The format of a file by its name. Raises DocumentRefused where there is none, or the content is another."""
    ending = PurePath(name).suffix.lower()
    said = ENDINGS.get(ending)
    if said is None:
        raise refused("unsupported", f"The file's name ends in none of {TAKEN}.")
    if not data.strip():
        raise refused("empty", "The file is empty.")
    is_pdf, is_zip = b"%PDF-" in data[:_HEAD], data.startswith(b"PK\x03\x04")
    if said is Format.PDF and not is_pdf:
        raise refused("mismatch", "The name says PDF, but what is in the file is no PDF.")
    if said is Format.DOCX and data.startswith(_OLE):
        raise refused("encrypted", "The file is locked with a password, or from an old Word: save it as a plain .docx.")
    if said is Format.DOCX and not is_zip:
        raise refused("mismatch", "The name says Word document, but what is in the file is none.")
    if said in (Format.TEXT, Format.MARKDOWN) and (data.startswith((b"%PDF-", b"PK\x03\x04", _OLE))):
        raise refused("mismatch", f"The name says text, but the file holds something else: only {TAKEN} can be read.")
    return said
