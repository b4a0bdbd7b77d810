"""Finds what memory must not simply keep: secrets, payment data, government ids, health and other personal matters.

Pure and linear in the length of the text. `find` says what is where, `redact` takes it out, `decide` says what a
profile's policy makes of it. Words, formats and examples are data files that people can read and extend.
"""

from .find import find
from .policy import DEFAULT, Decision, Handling, Policy, decide
from .redact import marker, redact
from .types import ALL, ALWAYS_REFUSED, Finding, SensitiveClass

__all__ = [
    "ALL",
    "ALWAYS_REFUSED",
    "DEFAULT",
    "Decision",
    "Finding",
    "Handling",
    "Policy",
    "SensitiveClass",
    "decide",
    "find",
    "marker",
    "redact",
]
