"""Why a document is not taken. Nothing of it is kept then."""

from __future__ import annotations

from memory.errors import InvalidInput

# Too much is 413, of the wrong kind 415; what has the right form and cannot be read is 422.
STATUS = {
    "unsupported": 415,
    "mismatch": 415,
    "too_large": 413,
    "too_many_pages": 413,
    "too_long": 413,
    "bomb": 413,
    "empty": 422,
    "no_text": 422,
    "encrypted": 422,
    "damaged": 422,
    "too_slow": 422,
    "too_hungry": 422,
}


class DocumentRefused(InvalidInput):
    """The document cannot be taken; `code` says why."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(f"{message} Nothing of it was kept.")
        self.code = f"document_{why}"
        self.status = STATUS[why]


class ConverterBusy(InvalidInput):
    """Others are being converted, and it took too long until it was this one's turn."""

    code = "busy"
    status = 503
    retryable = True

    def __init__(self) -> None:
        super().__init__("Other documents are being read right now: try again in a moment.")


def refused(why: str, message: str) -> DocumentRefused:
    return DocumentRefused(why, message)
