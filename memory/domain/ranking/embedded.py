"""What is embedded of a question and of a passage: what they are about, and not to whom it is said."""

from __future__ import annotations

from collections.abc import Collection
from importlib import resources

import regex
import yaml

from .speakers import without_names

SHORT_ANSWER = 250  # characters up to which an answer takes the question before it along
LONGEST_QUESTION = 200
_DATA: dict[str, str] = yaml.safe_load(
    resources.files("memory.domain.ranking").joinpath("asking.yaml").read_text(encoding="utf-8")
)
_REQUEST = regex.compile(_DATA["request"].replace(" |", "|"), regex.IGNORECASE)
_LEAST_LEFT = 8  # characters of a question that is still one without its request
_EDGES = " ?.,!"
_QUESTION = regex.compile(r"[^.!?\n\u3002\uff01\uff1f]++[?\uff1f]")


def question_text(text: str, speakers: Collection[str]) -> str:
    """What of a question is embedded and looked for: without names of speakers and without "can you recommend".

    speakers: all who speak in the profile's passages.
    """
    text = without_names(text, speakers)
    left = " ".join(_REQUEST.sub(" ", text.replace("\u2019", "'")).split()).strip(_EDGES)
    return left if len(left) > _LEAST_LEFT and left != text.strip(_EDGES) else text


def passage_text(text: str, speakers: Collection[str], *, asked: str = "") -> str:
    """What of a passage is embedded. `speakers`: who speak in its conversation.

    asked: the message before it, where another one said that and this one is a person's. A short answer ("Beans, she
    is two") means little without its question, so it takes the last one along.
    """
    text = without_names(text, speakers)
    if len(text) >= SHORT_ANSWER or not (questions := _QUESTION.findall(asked[-3 * LONGEST_QUESTION :])):
        return text
    return f"{without_names(questions[-1].strip(), speakers)[-LONGEST_QUESTION:]} {text}"
