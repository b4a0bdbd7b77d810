"""Text in a person's message that is not their own word: pasted, quoted, or put there by a program."""

from __future__ import annotations

import regex

# Stands where something was masked: neither a letter nor white space, so that nothing matches across it.
MASK = "\ufffc"
MIN_QUOTED = 60

_FENCED = regex.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", regex.DOTALL | regex.MULTILINE)
_INLINE_FENCE = regex.compile(r"```.*?(?:```|\Z)", regex.DOTALL)
_BLOCKQUOTE = regex.compile(r"^[ \t]*>[^\n]*", regex.MULTILINE)
_FORWARDED = regex.compile(
    r"^[ \t>]*(?:-{2,}\s*(?:original|forwarded) message\s*-{2,}|begin forwarded message:|"
    r"-{2,}\s*(?:urspr\u00fcngliche nachricht|message d'origine|mensaje original)\s*-{2,}).*",
    regex.DOTALL | regex.MULTILINE | regex.IGNORECASE,
)
_TAGGED = regex.compile(
    r"<(caesar-memory|document|documents|context|memory|article|email|source|text|page|file|transcript)\b[^<>]*>"
    r".*?(?:</\1\s*>|\Z)",
    regex.DOTALL | regex.IGNORECASE,
)
# "Summarise this page", "translate to French", "what does this say": what follows is somebody's text.
_REQUEST = regex.compile(
    r"""
    (?:^|[.!?:;,\n(][ \t]*|\b(?:please|pls|you|me|to|and|then|now|just|kindly|bitte|tu|mir)\s+)
    (?: summari[sz]e | sum\s+up | tl;?dr | translate | proof-?read | rewrite | rephrase | paraphrase | reword | shorten
        | simplify | polish | transcribe | analy[sz]e | review | explain | critique | outline
        | (?:fix|correct|check|edit|improve)\s+(?:the|this|my|these)\s+(?:\w+\s+){0,2}
          (?:text|grammar|spelling|sentence|paragraph|essay|email|letter|article|post|message|translation|draft)
        | (?:reply|respond|answer)\s+to\s+(?:this|the)\s+(?:\w+\s+)?(?:email|mail|message|letter|post|comment)
        | what\s+does\s+(?:this|it|the\s+\w+)\s+(?:mean|say) | read\s+(?:this|the\s+following)
        | here(?:'s|\s+is)\s+(?:the|an?|my)\s+(?:\w+\s+){0,2}
          (?:text|article|email|e-mail|page|post|document|transcript|letter|message|poem|story|review|contract|log)
        | \u00fcbersetz(?:e|en)? | fass(?:e|en)?\s+(?:\w+\s+){0,4}zusammen | zusammenfass\w+ | korrigier(?:e|en)?
        | tradui[st]\w* | r\u00e9sum(?:e|er|ez) | corrige[rz]?
        | traduc(?:e|ir|i)\w* | resum(?:e|ir|a|en)\w* | riassum\w+ | traduz\w* | vertaal | vat\s+(?:\w+\s+){0,4}samen
        | sammanfatta | \u00f6vers\u00e4tt | tiivist\u00e4 | k\u00e4\u00e4nn\u00e4 | переведи\w* | перескажи\w*
    )\b
    | \b(?:it|this|page|site|website|e-?mail|article|text|letter|message|note|post|document|doc|comment|review|story)\s+
      (?:says|said|reads|goes)(?=\s*[:,]) | \bwhat\s+do\s+you\s+(?:think|make)\s+of\s+(?:this|the)\b
    | \bthoughts\s+on\s+(?:this|the)\b
    | \bi\s+(?:found|got|received|copied)\s+(?:this|the\s+following)(?:\s+(?:e-?mail|message|text|letter|note))?(?=\s*:)
    | \bis\s+this\s+(?:e-?mail|message|text|letter|page)\b
    | \bthe\s+following\s+(?:e-?mail|message|text|article|page|post)\b
    | 总结 | 翻译 | 概括 | 要約 | 翻訳 | 訳し | 요약 | 번역
    """,
    regex.IGNORECASE | regex.VERBOSE,
)
_QUOTED = regex.compile(
    r"""
      "(?P<a>[^"]*)(?:"|\Z)
    | \u201c(?P<b>[^\u201d]*)(?:\u201d|\Z)
    | \u201e(?P<c>[^\u201c\u201d]*)(?:[\u201c\u201d]|\Z)
    | \u00ab(?P<d>[^\u00bb]*)(?:\u00bb|\Z)
    | \u300c(?P<e>[^\u300d]*)(?:\u300d|\Z)
    | (?<![\w'])['\u2018](?P<f>(?:[^'\u2019]|['\u2019](?=\w))*)(?:['\u2019]|\Z)
    """,
    regex.VERBOSE,
)
# "Bob wrote: ..." up to the end of the line, and 'she said "..."' up to the closing sign: words of theirs.
_WROTE = regex.compile(
    r"""\b(?:wrote|writes|texted|texts|messaged|mailed|e-?mailed|replied|replies|posted|commented|dm'd|schrieb|schreibt|\u00e9crit
    |a\s+\u00e9crit|escribi\u00f3|escribe|ha\s+scritto|scrive|skrev|skriver|kirjoitti|\u043d\u0430\u043f\u0438\u0441\u0430\u043b\u0430?)
    \b[^\n.!?:"\u201c\u201e]{0,40}:[ \t]*(?P<told>[^\n]+)""",
    regex.IGNORECASE | regex.VERBOSE,
)
_SAID = regex.compile(
    r"""\b(?:said|says|say|told|tells|asked|asks|answered|shouted|wrote|writes|replied|texted|sagte|sagt|schrieb|fragte|dit|dijo
    |dice|disse|sa|\u0441\u043a\u0430\u0437\u0430\u043b\u0430?)\b[^\n.!?"\u201c\u201e\u00ab\u300c]{0,40}
    (?P<told>"[^"]{20,}(?:"|\Z) | \u201c[^\u201d]{20,}(?:\u201d|\Z) | \u201e[^\u201c\u201d]{20,}(?:[\u201c\u201d]|\Z)
    | \u00ab[^\u00bb]{20,}(?:\u00bb|\Z) | \u300c[^\u300d]{10,}(?:\u300d|\Z))""",
    regex.IGNORECASE | regex.VERBOSE,
)
_ONESELF = regex.compile(
    r"\b(?:i|we|i've|we've|ich|wir|je|j'ai|yo|io|jag|min\u00e4|\u044f)\b[^.!?\n]{0,30}$", regex.IGNORECASE
)
# Where somebody's text begins: behind the request's colon, or on the next line where much follows.
_PASTED = regex.compile(r"[^\n.!?:\uff1a]{0,120}(?:[:\uff1a]|[.!?]?[ \t]*\n(?=.{200}))", regex.DOTALL)


def own_words(text: str, *, asks: bool = True) -> str:
    """The text with everything that is not the person's own word replaced by MASK, offset for offset.

    Masked are code fences, block quotes, forwarded mail, tagged documents, what others are said to have written or
    said and, behind a request about a text ("summarise this page: ..."), what follows its colon and long passages in
    quotation marks. `asks`: False for what asks for nothing: in a CV, "review" is what somebody does for a living.
    """
    for pattern in (_TAGGED, _FENCED, _INLINE_FENCE, _FORWARDED, _BLOCKQUOTE):
        text = pattern.sub(lambda match: _mask(match.group()), text)
    for pattern in (_WROTE, _SAID):
        text = pattern.sub(_without_told, text)
    request = _REQUEST.search(text) if asks else None
    if request is None:
        return text
    text = _QUOTED.sub(lambda m: _mask(m.group()) if len(m.group()) > MIN_QUOTED else m.group(), text)
    start = _PASTED.match(text, request.end())
    return text if start is None else text[: start.end()] + _mask(text[start.end() :])


def _without_told(match: regex.Match[str]) -> str:
    """What stands there without what somebody else is quoted with."""
    if _ONESELF.search(match.string[max(0, match.start() - 60) : match.start()]):
        return match.group()
    start, end = match.span("told")
    return match.string[match.start() : start] + _mask(match["told"]) + match.string[end : match.end()]


def _mask(text: str) -> str:
    return MASK * len(text)
