"""Where a conversation is a game: what is said in it is said of a character, until it ends or the game is paused."""

from __future__ import annotations

from functools import lru_cache

import regex

from .denial import Span

_BEGINS = regex.compile(
    r"\b(?:let's|let\s+us|lets)\s+(?:play|pretend|role-?\s?play|imagine)\b[^.!?]{0,60}\byou(?:'re|\s+are|\s+be|\s+play|'ll\s+be)\b"
    r"|\b(?:role-?\s?play(?:ing)?|text\s+adventure|stay\s+in\s+character|interactive\s+(?:story|fiction))\b"
    r"|\byou(?:'re|\s+are|\s+play)\s+(?:the|an?)\s+[^.!?]{1,60}[,;]?\s+(?:and\s+)?i(?:'m|\s+am|\s+play)\s+(?:the|an?|captain|king|queen|sir|lady)\b"
    r"|\bpretend\s+(?:that\s+)?(?:you(?:'re|\s+are)|i(?:'m|\s+am)|we(?:'re|\s+are))\b"
    r"|\b(?:rollenspiel|jeu\s+de\s+r\u00f4le|juego\s+de\s+rol|gioco\s+di\s+ruolo|rollenspel|rollspel|roolipeli)\b"
    r"|\blass\s+uns\s+(?:etwas\s+)?spielen\b|\bdu\s+bist\s+(?:der|die|das|ein|eine)\s+[^.!?]{1,60},\s+(?:und\s+)?ich\s+bin\b"
    r"|ロールプレイ|角色扮演|롤플레이"
)
_ENDS = regex.compile(
    r"\b(?:end|stop|finish|quit|leave|exit)\s+(?:of\s+)?(?:the\s+|this\s+|our\s+)?(?:game|scene|role-?\s?play(?:ing)?|story|playing)\b"
    r"|\bgame\s+over\b|\bback\s+to\s+(?:real\s+life|reality)\b|\bno\s+more\s+(?:games|role-?\s?play)\b|\bspiel\s+(?:zu\s+)?ende\b"
)
_REAL = regex.compile(
    r"\breal\s+(?:life|world)\b|\birl\b|\bfor\s+real\b|\bseriously\b|\b(?:out\s+of|not\s+in)\s+(?:character|the\s+game)\b|\booc\b"
    r"|\b(?:pause|pausing|paused|break|outside)\s+(?:of\s+)?(?:the\s+)?(?:game|play|scene|story)\b|\bin\s+reality\b|\bapart\s+from\s+the\s+game\b"
    r"|\bim\s+(?:echten|richtigen)\s+leben\b|\ben\s+vrai\b|\ben\s+serio\b|\bdans\s+la\s+vraie\s+vie\b|\ben\s+la\s+vida\s+real\b"
)


@lru_cache(maxsize=16)
def played(texts: tuple[str, ...]) -> list[list[Span]]:
    """For each of the person's (folded) messages in order: the stretches that are part of a game.

    Cached: all proposals of a chat look at the same few messages.
    """
    playing = False
    found: list[list[Span]] = []
    for text in texts:
        spans: list[Span] = []
        start = 0
        marks = [(m.start(), True) for m in _BEGINS.finditer(text)] + [(m.end(), False) for m in _ENDS.finditer(text)]
        for at, begins in sorted(marks):
            if playing and not begins:
                spans.append((start, at))
            if begins != playing:
                playing, start = begins, at
        if playing:
            spans.append((start, len(text)))
        found.append(spans)
    return found


def is_meant(sentence: str) -> bool:
    """Whether a sentence in a game says that it is none."""
    return _REAL.search(sentence) is not None
