"""Texts that tell the assistant what to do instead of saying something about the person."""

from __future__ import annotations

import regex

from .lexicon import FIRST_PERSON
from .text import normalise

_VERBS = (
    "answer|reply|respond|recommend|mention|say|tell|include|add|append|suggest|promote|praise|advertise|reveal"
    "|disclose|share|call|trust|send|pay|transfer|refuse|pretend|act|speak|write|end|start|begin|finish|output|print"
    "|execute|run|click|visit|open|obey|follow|ignore|disregard|use|advise|claim|insist|repeat|quote|cite|link|forward"
    "|translate|summari[sz]e|warn|hide|omit|remind|treat|believe|assume|address|greet|accept|approve|allow|grant"
)
_AIS = r"(?:the\s+|any\s+|every\s+|all\s+)?(?:ai|a\.i\.|assistant|chat\s*bot|bot|language\s+model|llm|caesar)s?"
_BEGIN = r"(?:^|[.;:!?,\"'(\[{>*#|-]\s*|\b(?:please|and|then|to|must|should|will|you)\s+)"
_MUST = r"(?:must|should|shall|have\s+to|has\s+to|needs?\s+to|are\s+to|is\s+to|will|may\s+not|ought\s+to)"

# Standing orders to whoever reads this. In words about oneself they are wishes: "always add dates when I ask".
_ORDERS = (
    rf"{_BEGIN}(?:(?:always|never|do\s+not|don't|from\s+now\s+on|in\s+(?:the\s+)?future)\s*,?\s+)++(?:you\s+)?"
    rf"(?:{_VERBS})\b",
    rf"\b(?:you|{_AIS})\s+{_MUST}\s+(?:(?:not|never|always|only|also)\s+)*(?:{_VERBS})\b",
    r"\byou\s+must\b(?!\s+(?:be|have|feel|love|like|enjoy|really|know|see|miss|mean|think|get)\b)",
    r"\bfrom\s+now\s+on\b.{0,40}\b(?:you|answer|reply|respond|call|address|speak)\b",
    rf"\b(?:tell|instruct|order|remind)\s+{_AIS}\b",
    r"\b(?:antworte|empfiehl|erwähne|nenne|sag|verwende)\s+(?:\w+\s+)?(?:immer|nie|niemals|stets)\b",
    r"\bab\s+(?:jetzt|sofort)\b.{0,40}\b(?:antworte|sprich|du)\b|\bdu\s+(?:musst|sollst|darfst\s+nicht)\b",
    r"\b(?:réponds|recommande|mentionne)\s+toujours\b|\bne\s+mentionne\s+jamais\b|\b(?:tu\s+dois|vous\s+devez)\b",
    r"\b(?:responde|recomienda|menciona)\s+siempre\b|\bsiempre\s+(?:responde|recomienda)\b|\bnunca\s+menciones\b",
    r"\bdebes\b|\bdevi\s+(?:sempre|rispondere)\b|始终(?:推荐|回答|使用)|从现在开始|你必须|必ず(?:推薦|答え|回答)|항상\s*(?:추천|대답)",
    r"всегда\s+(?:отвечай|рекомендуй|упоминай)|никогда\s+не\s+упоминай",
)
# Attempts on the rules in force, or on what memory is to hold: never a wish.
_ATTEMPTS = (
    r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){0,3}"
    r"(?:instructions?|rules?|prompts?|context|guidelines|messages?|above|previous|prior|everything)\b",
    r"\b(?:system|developer)\s+(?:prompt|message|instructions?)\b|\bnew\s+instructions?\b|\bjail\s*break",
    r"\byou\s+are\s+now\b|\bpretend\s+(?:to\s+be|you)\b|(?:^|[.;!?\"'(\[]\s*)act\s+as\b",
    r"(?:^|[.;!?\"'(\[#]\s*)(?:system|assistant|developer|instructions?)\s*:",
    r"<\s*/?\s*(?:system|assistant|instructions?)\b|<\|\w+\|>|\[/?inst\]",
    rf"\b(?:note|attention|message|instructions?)\s*(?:to|for|:)\s*{_AIS}\b",
    r"\b(?:remember|save|store|keep)\s+(?:\w+\s+){0,3}(?:for\s+all\s+future|in\s+(?:your\s+)?memory|to\s+memory"
    r"|that\s+the\s+user)\b",
    r"\b(?:for|in)\s+(?:all|every|each)\s+(?:future\s+)(?:chats?|conversations?|answers?|repl(?:y|ies)|messages?)\b",
    r"\bthe\s+user\s+(?:wants|would\s+like|expects|asks|needs)\s+(?:you|the\s+assistant|invoices|payments)\b",
    r"\bpay\s+(?:\w+\s+){0,3}(?:invoices?|bills?|payments?)\b.{0,40}\bto\b",
    r"\b(?:ignoriere|missachte|vergiss)\s+(?:\w+\s+){0,3}(?:anweisung|regel|vorgabe)\w*",
    r"\b(?:ignore[zr]?|oublie[zr]?)\s+(?:\w+\s+){0,3}(?:instructions|consignes|règles)\b",
    r"\b(?:ignora|olvida)\s+(?:\w+\s+){0,3}(?:instrucciones|reglas|istruzioni|regole)\b",
    r"(?:忽略|无视)\S{0,6}(?:指令|指示|规则|提示)|系统提示|(?:指示|命令)を無視|지시를?\s*무시|игнорируй",
)
_ORDER = regex.compile("|".join(f"(?:{pattern})" for pattern in _ORDERS))
_ATTEMPT = regex.compile("|".join(f"(?:{pattern})" for pattern in _ATTEMPTS))
_KEY = regex.compile(r"(?:^|[._])(?:instructions?|standing_order|system_prompt|directives?)(?:[._]|$)")
_SENTENCE = regex.compile(r"[^.!?\u3002\uff01\uff1f]+")
_WORD = regex.compile(r"[\p{L}]+(?:'[\p{L}]+)?")


def instruction_like(text: str, key: str | None = None) -> bool:
    """Whether a text (or its key) orders the assistant about.

    What the person says in the first person is no order: "I always say grace", "always add dates when I ask".
    """
    if key and _KEY.search(key):
        return True
    folded = normalise(text)
    if _ATTEMPT.search(folded):
        return True
    parts = map(str.strip, _SENTENCE.findall(folded))
    return any(_ORDER.search(part) and FIRST_PERSON.isdisjoint(_WORD.findall(part)) for part in parts)
