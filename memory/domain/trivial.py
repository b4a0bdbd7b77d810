"""Chats that plainly hold nothing to remember, so that no model need be asked. When unsure, they may."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from .lexicon import FIRST_PERSON, QUESTION_OPENERS
from .text import normalise
from .types import Message

_MAX_QUESTION = 200
# Said in answer to a question about the person these would be claims.
_YES_NO = frozenset(
    ["yes", "yeah", "yep", "yup", "no", "nope", "nah", "right", "correct", "exactly", "true", "sure", "indeed", "absolutely", "definitely", "ok", "okay", "k", "fine", "perfect", "ja", "nein", "doch", "genau", "oui", "non", "sí", "si", "no", "sim", "não", "sì", "jo", "joo", "ei", "kyllä", "да", "нет", "はい", "いいえ", "うん", "네", "아니요", "是", "是的", "对", "對", "不是", "好", "好的"]
)
_THANKS = frozenset(
    ["thanks", "thank", "thx", "ty", "cheers", "hi", "hello", "hey", "hiya", "howdy", "bye", "goodbye", "goodnight", "cool", "great", "nice", "awesome", "wonderful", "amazing", "excellent", "lovely", "brilliant", "super", "wow", "haha", "lol", "hm", "hmm", "ah", "oh", "aha", "welcome", "please", "continue", "go", "on", "next", "more", "and", "you", "so", "much", "very", "a", "lot", "again", "there", "good", "morning", "afternoon", "evening", "night", "see", "later", "got", "it", "that's", "that", "is", "helpful", "sounds", "for", "the", "help", "your", "danke", "dankeschön", "bitte", "schön", "hallo", "tschüss", "guten", "tag", "morgen", "abend", "moin", "servus", "super", "merci", "beaucoup", "bonjour", "salut", "au", "revoir", "bonsoir", "gracias", "muchas", "hola", "adiós", "buenos", "días", "tardes", "buenas", "noches", "grazie", "mille", "ciao", "buongiorno", "prego", "obrigado", "obrigada", "olá", "dank", "je", "wel", "bedankt", "hoi", "doei", "tack", "hej", "hejdå", "kiitos", "paljon", "kiitti", "moi", "hei", "tere", "aitäh", "спасибо", "привет", "пока", "здравствуйте", "dziękuję", "cześć", "díky", "ahoj", "köszönöm", "szia", "teşekkürler", "merhaba", "ありがとう", "ありがとうございます", "どうも", "こんにちは", "おはよう", "おはようございます", "こんばんは", "谢谢", "謝謝", "你好", "您好", "再见", "감사합니다", "고마워", "고마워요", "안녕하세요", "안녕", "감사해요"]
)
# Two of them in one question show that it is English (a first person in another language would not be seen).
_ENGLISH = frozenset(
    ["the", "is", "are", "what", "how", "does", "do", "did", "can", "of", "to", "in", "for", "you", "between", "mean", "who", "where", "when", "why", "which", "will", "would", "should", "there", "it", "an", "with", "much", "many", "long", "often"]
)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}]+)*")
_SENTENCE = regex.compile(r"[^.!?\u3002\uff01\uff1f]+[.!?\u3002\uff01\uff1f]*")
_STATES = regex.compile(r"[,;:\"(\u2014]|\s-\s|\b(?:because|since|as|if|for)\s")


def holds_nothing(messages: Sequence[Message]) -> bool:
    """True where every new message of the person is an acknowledgement, a greeting or a bare question.

    A "yes" or "ok" right behind an assistant's question may confirm something and is not trivial. Only English
    questions are judged, and only those without a first person, a clause of their own or a list.
    """
    asked = False
    for message in messages:
        if message.role == "user" and message.new and not _is_trivial(normalise(message.text), asked):
            return False
        if message.role == "assistant":
            asked = any(sign in message.text for sign in "?\uff1f\u061f")
    return True


def _is_trivial(text: str, asked: bool) -> bool:
    return all(_is_ack(part, asked) or _is_bare_question(part) for part in _SENTENCE.findall(text))


def _is_ack(part: str, asked: bool) -> bool:
    words = _WORD.findall(part)
    known = _THANKS if asked else _THANKS | _YES_NO
    if asked and not words:
        return False  # a thumb up may be the answer
    return len(words) <= 8 and all(word in known for word in words)


def _is_bare_question(part: str) -> bool:
    part = part.strip()
    if not part.endswith("?") or len(part) > _MAX_QUESTION or not part.isascii() or _STATES.search(part):
        return False
    words = _WORD.findall(part)
    return (
        bool(words)
        and words[0] in QUESTION_OPENERS
        and len(_ENGLISH.intersection(words)) >= 2
        and FIRST_PERSON.isdisjoint(words)
    )
