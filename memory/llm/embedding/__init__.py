"""Texts into vectors. `embedder()` is the one that the settings mean, `for_identity()` the one that made old vectors.

Call outside of any transaction: a model may take its time, and a provider is a network away.
"""

from __future__ import annotations

import threading

import structlog

from memory.errors import ModelError
from memory.llm.embedding import choosing, known
from memory.llm.embedding.choosing import Spec
from memory.llm.embedding.embedder import BUDGET_SECONDS, Backend, Embedder
from memory.llm.embedding.errors import BadTexts
from memory.llm.embedding.hosted import Hosted
from memory.llm.embedding.identity import Identity
from memory.llm.embedding.local import Local
from memory.llm.embedding.onnx import Onnx
from memory.llm.providers import IN_PROCESS

__all__ = ["BUDGET_SECONDS", "BadTexts", "Embedder", "Identity", "embedder", "for_identity", "wanted", "warm_up"]

LOG = structlog.get_logger(__name__)

_lock = threading.Lock()
_made: dict[Spec, Embedder] = {}
_loaded: dict[tuple[str, str], Backend] = {}  # what holds a model in memory, once whatever is made of its vectors


def embedder() -> Embedder:
    """The embedder that the settings mean, the same object each time. Raises ModelMisconfigured. Loads nothing."""
    return of_spec(choosing.configured())


def for_identity(identity: Identity) -> Embedder:
    """The embedder of an identity, so that what it made stays searchable whatever the settings say now.

    Raises ModelMisconfigured. Loads nothing.
    """
    return of_spec(choosing.of(identity))


def wanted() -> str:
    """How the configured embedder is called. Raises ModelMisconfigured. Asks nobody."""
    spec = choosing.configured()
    return f"{spec.provider}/{spec.model}"


def warm_up() -> None:
    """Have the configured embedder loaded; for a process's start. Returns at once, raises nothing."""
    try:
        embedder().warm_up()
    except ModelError as error:
        LOG.warning("no_usable_embedder", reason=str(error))


def of_spec(spec: Spec) -> Embedder:
    """The embedder of a spec, the same object each time."""
    with _lock:
        if spec not in _made:
            _made[spec] = Embedder(spec, _backend(spec))
        return _made[spec]


def _backend(spec: Spec) -> Backend:
    if spec.provider not in IN_PROCESS:
        return Hosted(spec.route, spec.dim)
    key = (spec.provider, spec.model)
    if key not in _loaded:
        _loaded[key] = _in_process(spec)
    return _loaded[key]


def _in_process(spec: Spec) -> Backend:
    return Onnx() if spec.provider == choosing.ONNX else Local(spec.model, known.model(spec.model))
