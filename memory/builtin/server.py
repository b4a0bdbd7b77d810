"""A GGUF model served in the box: llama.cpp's OpenAI-compatible API on loopback.

    python -m memory.builtin.server --model PATH --port N [--threads T] [--context TOKENS]

Prints one line when it answers. Ends on SIGTERM, on Ctrl-C, and when its parent is gone. Whatever keeps it from
starting is one sentence on stderr and exit code 1.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
CONTEXT = 8192  # tokens, shared by the requests that run at once
PARALLEL = 2
PARENT_LOOKED_AT_EVERY = 1.0  # seconds
_ERRORS_ONLY = 1  # llama.cpp's log level: its start prints some 200 lines otherwise


class CannotServe(Exception):
    """Why it does not start, as a sentence that says what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until asked to end; the exit code."""
    # Threads that wait by spinning would take the processor from every other process.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    parent = os.getppid()
    options = _options(arguments)
    try:
        server = start(options.model, options.port, threads=options.threads, context=options.context)
    except CannotServe as why:
        sys.stderr.write(f"{why}\n")
        return 1
    stopped = threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: stopped.set())
    sys.stdout.write(f"Serving {options.model.name} on {server.listening_address}/v1\n")
    sys.stdout.flush()
    while not stopped.wait(PARENT_LOOKED_AT_EVERY):
        if os.getppid() != parent:
            break
    # Requests in flight are cut off: llama.cpp would finish writing them first, however long that takes.
    os._exit(0)


def start(model: Path, port: int, *, threads: int | None = None, context: int = CONTEXT) -> Any:
    """A running server of the model, or CannotServe."""
    _check(model, port)
    library = _library()
    params = library.CommonParams()
    params.model.path = str(model)
    params.model_alias = {model.stem}
    params.hostnames = [HOST]
    params.port = port
    params.n_ctx = context
    params.n_parallel = PARALLEL
    params.verbosity = _ERRORS_ONLY
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads or _cores()
    try:
        return library.Server(params)
    except Exception as error:
        raise CannotServe(f"llama.cpp cannot run {model} (its own words are above): try another GGUF file.") from error


def _check(model: Path, port: int) -> None:
    try:
        with model.open("rb") as file:
            magic = file.read(4)
    except FileNotFoundError:
        raise CannotServe(f"There is no file {model}; set CAESAR_LLM__BUILTIN__MODEL_PATH to a GGUF file.") from None
    except OSError as error:
        raise CannotServe(f"{model} cannot be read: {error.strerror}.") from None
    if magic != b"GGUF":
        raise CannotServe(f"{model} is not a GGUF file; set CAESAR_LLM__BUILTIN__MODEL_PATH to one.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise CannotServe(f"Port {port} on {HOST} is taken; set CAESAR_LLM__BUILTIN__PORT to a free one.") from None


def _library() -> Any:
    try:
        return importlib.import_module("xllamacpp")
    except ImportError:
        raise CannotServe("The model server is not installed: run `make llama`.") from None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m memory.builtin.server", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file")
    parser.add_argument("--port", type=int, required=True, help="port on 127.0.0.1")
    parser.add_argument("--threads", type=int, default=None, help="cores to use (default: all)")
    parser.add_argument("--context", type=int, default=CONTEXT, help=f"context in tokens (default: {CONTEXT})")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
