"""What stops a start."""

from __future__ import annotations

from memory.errors import CaesarError


class CannotStart(CaesarError):
    """Something on this machine is in the way of a start. The message is a sentence that says what to do."""

    code = "cannot_start"
    status = 503
