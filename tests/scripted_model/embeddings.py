"""The embeddings routes: OpenAI's (which Voyage shares) and Ollama's."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from typing import Any

from tests.scripted_model.recorded import Recorded
from tests.scripted_model.replies import Vectors


def serves(path: str) -> bool:
    """Whether a path asks for embeddings."""
    return path.endswith(("/embeddings", "/api/embed"))


def body(reply: Vectors, request: Recorded) -> dict[str, Any]:
    """The answer in the words of the route that was asked."""
    asked = request.json.get("dimensions") or request.json.get("output_dimension") or reply.dim
    vectors = [_vector(reply, text, int(asked)) for text in request.inputs]
    vectors = vectors[: len(vectors) - reply.drop]
    name, words = request.json.get("model", "scripted"), sum(len(text.split()) for text in request.inputs)
    if request.path.partition("?")[0].endswith("/api/embed"):
        return {"model": name, "embeddings": vectors, "total_duration": 1, "prompt_eval_count": words}
    data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
    usage = {"prompt_tokens": words, "total_tokens": words}
    return {"object": "list", "model": name, "data": data, "usage": usage}


def made(text: str, dim: int) -> list[float]:
    """A vector of length 1 for the words of a text, always the same one."""
    sums = [0.0] * dim
    for word in re.findall(r"\w+", text.lower()) or [text]:
        digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
        state = int.from_bytes(digest, "big") | 1
        for i in range(dim):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            sums[i] += state / 2**63 - 1
    length = math.sqrt(sum(x * x for x in sums))
    return [x / length for x in sums]


def _vector(reply: Vectors, text: str, dim: int) -> Sequence[float]:
    if text in reply.texts:
        return list(reply.texts[text])
    return list(reply.constant) if reply.constant is not None else made(text, dim)
