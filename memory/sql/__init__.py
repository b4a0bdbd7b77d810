"""Hand-written SQL, one file per statement."""

from functools import cache
from pathlib import Path


@cache
def read(name: str) -> str:
    """The statement in `name`.sql."""
    return (Path(__file__).parent / f"{name}.sql").read_text()
