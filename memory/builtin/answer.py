"""An answer where no language model is configured: what memory holds about the question, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from memory.builtin.words import related, stems

MOST_FACTS, MOST_EPISODES, LONGEST_LINE = 8, 3, 300

NO_MODEL = "No language model is configured, so I can only repeat what I remember."
ABOUT_THIS = "About this, I remember:"
EARLIER = "From earlier chats:"
NOTHING = "I remember nothing about this."
WILL_READ = "I will read your message for facts about you in the background."
HOW_TO = (
    "To get real answers, configure a model: CAESAR_LLM__PROVIDER=ollama and CAESAR_LLM__MODEL=llama3.1:8b for Ollama, "
    "or a hosted provider with its key (for example CAESAR_LLM__PROVIDER=anthropic and CAESAR_LLM__ANTHROPIC__API_KEY)."
)

_ASKS = regex.compile(
    r"\?|^\s*(?:what|which|where|when|how|who|whose|why|is|are|am|do|does|did|can|could|should|would|will|tell|list|show|"
    r"give|write|explain|help|translate|summari[sz]e|find|suggest|recommend|remind)\b",
    regex.IGNORECASE,
)
_ABOUT_ME = regex.compile(r"\b(?:about me|know me|who am i|remember of me|remember me)\b", regex.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """The text of the answer, and the ids of what it repeats, in the order in which it does."""

    text: str
    used_ids: tuple[str, ...] = ()


def answer(
    question: str,
    facts: Sequence[tuple[str, str]],
    episodes: Sequence[tuple[str, str]],
    *,
    will_be_read: bool = True,
) -> Answer:
    """What memory holds about a question, said in plain words.

    facts, episodes: (id, text) as memory recalls them, the best first. will_be_read: whether this chat goes to the
    extractor (memory on), so that the answer claims nothing that does not happen.
    """
    all_of_it = bool(_ABOUT_ME.search(question))
    facts = list(facts[:MOST_FACTS]) if all_of_it else matching(question, facts)[:MOST_FACTS]
    episodes = list(episodes[:MOST_EPISODES]) if all_of_it else matching(question, episodes)[:MOST_EPISODES]
    lines = [NO_MODEL]
    if facts:
        lines += ["", ABOUT_THIS, *(f"- {_line(text)}" for _, text in facts)]
    if episodes:
        lines += ["", EARLIER, *(f"- {_line(text)}" for _, text in episodes)]
    if not facts and not episodes:
        lines[0] += " " + NOTHING
    if will_be_read and not _ASKS.search(question):
        lines += ["", WILL_READ]
    lines += ["", HOW_TO]
    return Answer("\n".join(lines), tuple(id_ for id_, _ in (*facts, *episodes)))


def matching(question: str, items: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The items that share words with the question, or words of the same meaning, about as much as the closest."""
    asked = set(stems(question))
    scored = [(_score(asked, set(stems(text))), -place, (id_, text)) for place, (id_, text) in enumerate(items)]
    enough = max((score for score, _, _ in scored), default=0.0) / 2
    return [item for score, _, item in sorted(scored, reverse=True) if score > enough]


def _score(asked: set[str], words: set[str]) -> float:
    """One for each word of the question that the line has, less for one that it has in other words."""
    return sum(1.0 if word in words else 0.4 * (not related(word).isdisjoint(words)) for word in asked)


def _line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1].rstrip() + "\u2026"
