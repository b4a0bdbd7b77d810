"""How much memory the embedded PostgreSQL may take on this machine.

It takes it as its data grow, not at once. The rest is for the models, which need more.
"""

from __future__ import annotations

from pathlib import Path

import psutil

MB = 2**20
# The most that a container may take, as its control group says: a number of bytes, or "max".
LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def settings() -> dict[str, str]:
    """PostgreSQL's settings for the memory that there is."""
    return settings_for(memory())


def settings_for(total: int) -> dict[str, str]:
    """PostgreSQL's settings for so many bytes of memory.

    Pages that are kept cost 3 % of theirs from the start, so they get 512 MB at most; the system keeps the rest.
    Building the vectors' index is many times quicker while it fits into `maintenance_work_mem`: a million vectors of
    384 numbers take 1.2 GB.
    """
    return {
        "shared_buffers": _part(total, 8, least=64, most=512),
        "effective_cache_size": _part(total, 2, least=256, most=65_536),
        "maintenance_work_mem": _part(total, 16, least=64, most=2048),
        "work_mem": _part(total, 512, least=4, most=16),
    }


def memory() -> int:
    """Bytes of memory that this machine, or the container that we run in, has."""
    return min([psutil.virtual_memory().total, *filter(None, map(_limit, LIMITS))])


def _limit(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _part(total: int, share: int, *, least: int, most: int) -> str:
    return f"{max(least, min(most, total // share // MB))}MB"
