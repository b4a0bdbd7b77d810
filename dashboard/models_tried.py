"""Which model does what, and what it answers when it is asked something small."""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.config import Task
from memory.errors import ModelError, ModelMisconfigured
from memory.llm import embedding, gateway
from memory.llm.routing import route_for

TASKS: dict[str, Task] = {"chat": "chat", "memory_extract": "memory_extract", "memory_summarise": "memory_summarise"}
EMBED = "embed"
LABELS = {
    "chat": gettext_lazy("Chat"),
    "memory_extract": gettext_lazy("Learning facts"),
    "memory_summarise": gettext_lazy("Summing up"),
    EMBED: gettext_lazy("Finding by meaning"),
}
QUESTION = "Answer with the single word: ready"
MOST_SECONDS = 30.0
MOST_TOKENS = 200


@dataclass(frozen=True)
class Routed:
    """A task and its model. `problem` says what is wrong with the settings."""

    task: str
    label: str
    model: str
    address: str = ""
    has_model: bool = True
    problem: str = ""


@dataclass(frozen=True)
class Tried:
    """What came back. `problem` where nothing that can be used did; `raw` is then what did."""

    label: str
    asked: str
    answer: str = ""
    model: str = ""
    seconds: float = 0.0
    tokens: int | None = None
    problem: str = ""
    raw: str = ""


def routes() -> list[Routed]:
    return [*(_routed(name, task) for name, task in TASKS.items()), _embedder()]


def _routed(name: str, task: Task) -> Routed:
    label = str(LABELS[name])
    try:
        route = route_for(task)
    except ModelMisconfigured as error:
        return Routed(name, label, "", has_model=False, problem=str(error))
    if route.is_rule_based:
        return Routed(name, label, _("no language model: fixed patterns"), has_model=False)
    return Routed(name, label, route.identity, route.address)


def _embedder() -> Routed:
    try:
        return Routed(EMBED, str(LABELS[EMBED]), embedding.wanted())
    except ModelMisconfigured as error:
        return Routed(EMBED, str(LABELS[EMBED]), "", has_model=False, problem=str(error))


def ask(name: str) -> Tried:
    """One call to what does this task. Call with no transaction open."""
    return _embedded() if name == EMBED else _answered(TASKS[name])


def _embedded() -> Tried:
    label, begin = str(LABELS[EMBED]), time.monotonic()
    try:
        (vector,) = embedding.embedder().documents([QUESTION])
    except ModelError as error:
        return Tried(label, QUESTION, seconds=time.monotonic() - begin, problem=str(error), raw=error.raw)
    first = ", ".join(f"{number:.3f}" for number in vector[:4])
    answer = _("%(n)d numbers: %(first)s, …") % {"n": len(vector), "first": first}
    return Tried(label, QUESTION, answer, embedding.wanted(), time.monotonic() - begin)


def _answered(task: Task) -> Tried:
    """No longer than half a minute."""
    label, begin = str(LABELS[task]), time.monotonic()
    try:
        if route_for(task).is_rule_based:
            return Tried(label, QUESTION, problem=_("No language model is set for this."))
        messages = [{"role": "user", "content": QUESTION}]
        done = gateway.complete(task=task, messages=messages, max_tokens=MOST_TOKENS, timeout=MOST_SECONDS)
    except ModelError as error:
        return Tried(label, QUESTION, seconds=time.monotonic() - begin, problem=str(error), raw=error.raw)
    seconds = time.monotonic() - begin
    return Tried(label, QUESTION, done.text, f"{done.provider}/{done.model}", seconds, done.usage.total_tokens)
