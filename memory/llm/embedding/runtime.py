"""What the libraries that run models in this process must be told before they are loaded.

Each is loaded lazily, on first use, and here is the one place that every such load goes through.
"""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

# More threads than this make a batch of short texts hardly faster.
MOST_THREADS = 4

_ENVIRONMENT = {
    # Threads that wait by spinning would take the processor from everybody else; read when OpenMP is loaded.
    "OMP_WAIT_POLICY": "passive",
    "TOKENIZERS_PARALLELISM": "false",
    # Models come from packages and from the disk: nothing is fetched while somebody waits.
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    # Its own call that switches reports off comes too late: the id of the machine is made at the import.
    "ORT_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}


def prepare() -> None:
    """Before torch, transformers, onnxruntime or tokenizers are imported. What is set already stays."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)


def threads() -> int:
    """How many threads one computation may use."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(usable, MOST_THREADS))


@cache
def installed(package: str) -> bool:
    """Whether it can be imported, without importing it."""
    return importlib.util.find_spec(package) is not None


@contextmanager
def loading() -> Iterator[None]:
    """Around the imports and the load of a model, which make a million objects that stay for good.

    The collector is kept from them: each of its full rounds would go through all of them again, 0.3 s in which no
    other thread of the process gets anywhere.
    """
    prepare()
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
        _give_back_memory()
    finally:
        gc.freeze()
        if collects:
            gc.enable()


def _give_back_memory() -> None:
    """Hand what loading has used and freed back to the system, where the C library can (glibc)."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            libc: Any = ctypes.CDLL("libc.so.6")
            libc.malloc_trim(0)
