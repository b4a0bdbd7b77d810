"""Texts that tell the assistant what to do instead of saying something about the person."""

from __future__ import annotations

import regex

from .text import normalise

_VERBS = (
    "answer|reply|respond|recommend|mention|say|tell|include|add|append|suggest|promote|praise|advertise|reveal|disclose"
    "|share|call|trust|send|pay|transfer|refuse|pretend|act|speak|write|end|start|begin|finish|output|print|execute|run"
    "|click|visit|open|obey|follow|ignore|disregard|use|advise|claim|insist|repeat|quote|cite|link|forward|translate"
    "|summari[sz]e|warn|hide|omit|remind|treat|believe|assume|address|greet|respect|accept|approve|allow|grant"
)
_AIS = r"(?:the\s+|any\s+|every\s+|all\s+)?(?:ai|a\.i\.|assistant|chatbot|chat\s*bot|bot|language\s+model|llm|caesar)s?"
# Where a sentence or clause may begin; what the person says of themselves ("I always ...") does not begin there.
_BEGIN = r"(?:^|[.;:!?,\"'(\[{>\-*#|]\s*|\b(?:please|and|then|to|must|should|will|you)\s+)"
_PATTERNS = (
    # Standing orders to whoever reads this.
    rf"{_BEGIN}(?:always|never|do\s+not|don't|from\s+now\s+on|in\s+(?:the\s+)?future)\s*,?\s+(?:you\s+)?(?:{_VERBS})\b",
    rf"\b(?:you|{_AIS})\s+(?:must|should|shall|have\s+to|has\s+to|needs?\s+to|are\s+to|is\s+to|will|may\s+not|ought\s+to)"
    rf"\s+(?:\w+\s+)?(?:not\s+)?(?:{_VERBS})\b",
    r"\byou\s+must\b|\byou\s+are\s+now\b|\bact\s+as\b(?!\s+a\s+\w+\s+at)|\bpretend\s+(?:to\s+be|you)\b",
    r"\bfrom\s+now\s+on\b.{0,40}\b(?:you|answer|reply|respond|call|address|speak)\b",
    rf"\b(?:tell|instruct|order|remind|note\s+to|attention|message\s+(?:to|for)|instructions?\s+(?:to|for))\s*:?\s+{_AIS}\b",
    # Attempts on the rules that are in force.
    r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){0,3}(?:instructions?|rules?|prompts?|context|guidelines"
    r"|messages?|above|previous|prior|everything)\b",
    r"\b(?:system|developer)\s+(?:prompt|message|instructions?)\b|\bnew\s+instructions?\b|\bjail\s*break",
    r"(?:^|[.;!?\n\"'(\[]\s*|#+\s*)(?:system|assistant|developer|instructions?)\s*:",
    r"<\s*/?\s*(?:system|assistant|instructions?)\b|<\|\w+\|>|\[/?inst\]",
    # What memory is to be made to hold.
    r"\b(?:remember|save|store|keep)\s+(?:\w+\s+){0,3}(?:for\s+all\s+future|in\s+(?:your\s+)?memory|to\s+memory|that\s+the\s+user)\b",
    r"\b(?:for|in)\s+(?:all|every|each)\s+(?:future\s+)?(?:chats?|conversations?|answers?|repl(?:y|ies)|responses?|messages?)\b",
    r"\bthe\s+user\s+(?:wants|would\s+like|expects|asks|needs)\s+(?:you|the\s+assistant|invoices|payments)\b",
    r"\bpay\s+(?:\w+\s+){0,3}(?:invoices?|bills?|payments?)\b.{0,40}\bto\b",
    # Other languages.
    r"\b(?:ignoriere|missachte|vergiss)\s+(?:\w+\s+){0,3}(?:anweisung|regel|vorgabe)\w*",
    r"\b(?:antworte|empfiehl|erw\u00e4hne|nenne|sag|verwende)\s+(?:\w+\s+)?(?:immer|nie|niemals|stets)\b|\bab\s+(?:jetzt|sofort)\b.{0,40}"
    r"\b(?:antworte|sprich|du)\b|\bdu\s+(?:musst|sollst|darfst\s+nicht)\b",
    r"\b(?:ignore[zr]?|oublie[zr]?)\s+(?:\w+\s+){0,3}(?:instructions|consignes|r\u00e8gles)\b|\b(?:r\u00e9ponds|recommande|mentionne)\s+toujours\b"
    r"|\bne\s+mentionne\s+jamais\b|\b(?:tu\s+dois|vous\s+devez)\b",
    r"\b(?:ignora|olvida)\s+(?:\w+\s+){0,3}(?:instrucciones|reglas|istruzioni|regole)\b|\b(?:responde|recomienda|menciona)\s+siempre\b"
    r"|\bsiempre\s+(?:responde|recomienda)\b|\bnunca\s+menciones\b|\bdebes\b|\bdevi\s+(?:sempre|rispondere)\b",
    r"\u5ffd\u7565|\u65e0\u89c6|\u59cb\u7ec8(?:\u63a8\u8350|\u56de\u7b54|\u4f7f\u7528)|\u4ece\u73b0\u5728\u5f00\u59cb|\u4f60\u5fc5\u987b|\u7cfb\u7edf\u63d0\u793a"
    r"|\u7121\u8996\u3057|\u5fc5\u305a(?:\u63a8\u85a6|\u7b54\u3048|\u56de\u7b54)|\uc9c0\uc2dc\ub97c?\s*\ubb34\uc2dc|\ud56d\uc0c1\s*(?:\ucd94\ucc9c|\ub300\ub2f5)",
    r"\u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443\u0439|\u0432\u0441\u0435\u0433\u0434\u0430\s+(?:\u043e\u0442\u0432\u0435\u0447\u0430\u0439|\u0440\u0435\u043a\u043e\u043c\u0435\u043d\u0434\u0443\u0439)",
)
_INSTRUCTION = regex.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS))
_KEY = regex.compile(
    r"(?:^|[._])(?:instructions?|standing_order|system_prompt|directive|directives)(?:[._]|$)|payment_instruction"
)
_FIRST_PERSON = regex.compile(r"\b(?:i|we|i'm|i've|we're|ich|wir|je|nous|yo|io|eu|ik|jag)\b[^.;:!?]{0,20}$")


def instruction_like(text: str, key: str | None = None) -> bool:
    """Whether a text (or its key) orders the assistant about. First-person statements do not: "I always say grace"."""
    if key and _KEY.search(key):
        return True
    folded = normalise(text)
    return any(not _FIRST_PERSON.search(folded, 0, match.start()) for match in _INSTRUCTION.finditer(folded))
