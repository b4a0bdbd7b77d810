"""What the web process counts, for Prometheus."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

QUICK = (0.002, 0.005, 0.01, 0.015, 0.025, 0.04, 0.06, 0.08, 0.12, 0.25, 0.5, 1.0, 2.5, 10.0)
SLOW = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0)

CHATS = Counter(
    "caesar_chats_total",
    "Chats by how they ended: answered, left (by the client), broken (in mid-answer), refused (4xx), failed (5xx).",
    ["outcome"],
)
CHATS_OPEN = Gauge("caesar_chats_open", "Chats that are being answered now.")
MEMORY_SECONDS = Histogram(
    "caesar_chat_memory_seconds",
    "What memory adds to a chat: before the model is called, and to write what was said.",
    ["step"],
    buckets=QUICK,
)
RECALL_FAILURES = Counter("caesar_recall_failures_total", "Chats that went on without memory because recall failed.")
UPSTREAM_SECONDS = Histogram("caesar_upstream_seconds", "From the call of a chat's model to its end.", buckets=SLOW)
RATE_LIMITED = Counter("caesar_rate_limited_total", "Requests refused since their key asked too often.")
MODEL_ERRORS = Counter("caesar_model_errors_total", "Chats that a model did not answer.", ["code"])
EMBEDDINGS = Counter(
    "caesar_embeddings_total",
    "Requests for embeddings by how they ended: answered, left (by the client), refused (4xx), failed (5xx).",
    ["outcome"],
)
EMBEDDED_TOKENS = Counter("caesar_embedded_tokens_total", "Tokens that were embedded for clients, as counted.")
