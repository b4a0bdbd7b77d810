"""Memory of processes. Pages that several of them share are counted once, whoever else on the machine shares them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import psutil

MB = 2**20


def megabytes(parts: Mapping[str, Sequence[psutil.Process]]) -> dict[str, float]:
    """Of each part what its processes hold for themselves, and their share of the rest.

    The kernel's own figure (PSS) divides the pages of a file by all who have it open: beside a second installation
    from the same folder each would look smaller than it is. So those are divided by the processes given here.
    """
    maps = {process: process.memory_maps(grouped=True) for part in parts.values() for process in part}
    users = Counter(one.path for mapped in maps.values() for one in mapped if _shared(one))
    return {
        name: sum(_own(one, users[one.path]) for process in part for one in maps[process]) / MB
        for name, part in parts.items()
    }


def family(process: psutil.Process) -> list[psutil.Process]:
    """A process with its children."""
    return [process, *process.children(recursive=True)]


def _own(mapped: Any, users: int) -> float:
    private = mapped.private_clean + mapped.private_dirty
    if mapped.path.startswith("/") and not mapped.path.startswith("/dev/"):
        return private + _shared(mapped) / max(1, users)
    return float(mapped.pss)  # nobody else has these


def _shared(mapped: Any) -> int:
    return int(mapped.shared_clean + mapped.shared_dirty)
