"""How the words around a value are meant: said of oneself, denied, gone by, only imagined, only asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

import regex

from .lexicon import FIRST_PERSON, QUESTION_OPENERS
from .words import is_negation


class Meaning(StrEnum):
    """What the sentence does with a value that stands in it. Only SAID makes it the person's claim."""

    SAID = ""
    NEGATED = "negated"
    PAST = "past"
    IMAGINED = "imagined"
    ASKED = "only_asked"
    FORGET = "asked_to_forget"
    OTHER = "about_someone_else"


_SENTENCE_END = regex.compile(r"(?<=[.!?\u3002\uff01\uff1f\ufffc])\s+|[\u3002\uff01\uff1f\ufffc\n]+|(?<=[!?])(?=\p{L})")
_CLAUSE_END = regex.compile(
    r"[,;:()\u3001\uff0c\uff1b]\s*|\s[-]\s|\s(?=(?:but|and|because|so|although|though|while|since|und|aber|sondern|weil|mais|et"
    r"|car|pero|sino|porque|y|ma|per\u00f2|e|mas|maar|want|men|och|mutta|ja|\u043d\u043e|\u0430|\u0438)\s)"
)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}]+)*")
_NOT_A_DENIAL = regex.compile(
    r"\b(?:can't\s+wait|cannot\s+wait|don't\s+forget|do\s+not\s+forget|never\s+forget|not\s+only|not\s+just|no\s+doubt"
    r"|no\s+problem|no\s+worries|why\s+not|never\s+miss(?:ed|es)?|not\s+to\s+mention|nothing\s+but|no\s+later\s+than"
    r"|(?:can't|cannot|couldn't)\s+(?:live|do|go|be|function|start)\b[^,;]*\bwithout|if\s+not|or\s+not|don't\s+you)\b"
)
_DENSE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
_DENSE_DENIAL = regex.compile(r"ない|ません|じゃな|なかった|やめた|아니|않|없|못|不|没|沒|别|未|非")
_GONE_AFTER = regex.compile(
    r"^\W*(?:(?:is|was|are|were|isn't|wasn't|'s)\s+)?(?:\w+\s+){0,2}?(?:no\s+longer|any\s*more|nicht\s+mehr|not\s+true|wrong"
    r"|(?:the|my|our|an?)\s+(?:old|former|previous|ex)\b)"
)
_DENIED_AFTER = regex.compile(
    r"^\W*(?:\w+\s+){0,1}?(?:isn't|wasn't|aren't|is\s+not|was\s+not|are\s+not|is\s+wrong|nicht)\b"
)
_GONE_BEFORE = regex.compile(
    r"\b(?:used\s+to|formerly|previously|no\s+longer|not\s+any\s*more|fr\u00fcher|damals|autrefois|antes|until\s+(?:last|recently)"
    r"|(?:my|the|our)\s+(?:old|former|previous|ex)|ex-\w*|stopped|(?:quit|left|sold|lost|divorced)(?:\s+(?:my|the|our))?"
    r"|(?:moved|moving|relocated|switched|changed)\s+(?:away\s+)?from(?:\s+(?:my|the|our))?)\b"
)
_LEAVING = regex.compile(r"\b(?:quit|left|sold|lost|divorced|from)\b")
_IMAGINED = regex.compile(
    r"\b(?:(?<!can\s|could\s|only\s)imagine|suppose|supposing|hypothetically|pretend|let's\s+(?:say|play|pretend|assume)|what\s+if|as\s+if"
    r"|if\s+(?:i|we|my)\s+(?:\w+\s+){0,2}?(?:were|was|had|lived|got|became|worked|owned|ever)|i\s+wish\s+(?:i|my|we)"
    r"|stell\s+dir\s+vor|angenommen|imaginons|imagina|supongamos|imaginemos|wenn\s+ich\s+\w+\s+(?:w\u00e4re|h\u00e4tte))\b"
    r"|もし|如果|假如|만약"
)
_FORGET = regex.compile(
    r"^\W*(?:(?:please|pls|hey|ok|okay|and|also|can\s+you|could\s+you|would\s+you|i\s+want\s+you\s+to|i'd\s+like\s+you\s+to"
    r"|you\s+(?:can|should|must)|kindly|now)\s+)*(?:forget|delete|erase|remove|wipe|unlearn)\s+"
    r"(?!to\b)(?:about\s+)?(?:that|my|what|the\s+fact|everything|all|our|this|it)\b"
    r"|\b(?:bitte\s+)?vergiss\s+(?:bitte\s+)?(?:dass|mein|das)|\boublie[sz]?\s+(?:que|mon|ma|mes)\b|\bolvida\s+(?:que|mi|mis)\b"
    r"|\bunohda\b|\u5fd8\u308c\u3066|\u5fd8\u4e86|\u5fd8\u6389|\uc78a\uc5b4"
)
_NOT_TO_KEEP = regex.compile(
    r"\b(?:don't|do\s+not|never|not)\s+(?:want\s+(?:you\s+to\s+)?|ever\s+)?(?:(?:this|it|that|them|those)\s+)?(?:to\s+be\s+)?"
    r"(?:kept|keep|stored?|saved?|remember(?:ed)?|record(?:ed)?|retain(?:ed)?)\b"
    r"|\boff\s+the\s+record\b|\b(?:this|that|it)\s+(?:is|stays)\s+(?:just\s+)?between\s+us\b"
)
_FORGET_THAT = regex.compile(
    r"\W*(?:(?:please|and|but|i|sorry|actually)\W+)*(?:(?:forget|delete|erase)\s+(?:that|it|this)\b"
    r"|(?:don't|do\s+not)\s+(?:(?:want\s+)?(?:that|it|this)\s+kept|(?:save|store|keep|remember)\s+(?:that|it|this))\b)"
)
_PEOPLE = (
    "brother|sister|sibling|mother|mom|mum|father|dad|parents|grand\\w+|uncle|aunt|cousin|nephew|niece|wife|husband|spouse"
    "|partner|girlfriend|boyfriend|fianc[eé]e?|ex|son|daughter|kids?|child|children|baby|friends?|buddy|roommate|flatmate"
    "|neighbou?rs?|boss|manager|coworkers?|colleagues?|teacher|doctor|client|in-laws|family"
)
# "My brother is vegan": where the sentence says nothing of the speaker, it is the brother's diet.
_OTHER_SUBJECT = regex.compile(
    rf"\b(?:my|our)\s+(?:\w+\s+){{0,2}}?(?P<who>{_PEOPLE})\b|\bmeine?\s+(?P<who>bruder|schwester|mutter|vater|eltern|frau|mann"
    r"|sohn|tochter|freund|freundin|chef)\b|\b(?:mon|ma|mes)\s+(?P<who>frère|sœur|mère|père|parents|femme|mari|fils|fille|ami)\b"
    r"|\bmi\s+(?P<who>hermano|hermana|madre|padre|mujer|marido|hijo|hija|amigo|amiga)\b"
)
_PERSON = regex.compile(
    rf"(?:^|[^\p{{L}}])(?:{_PEOPLE}|person|people|contact|relative|household|emergency)(?:$|[^\p{{L}}])"
)
# Places that only mention a value in passing: a better one comes first when it is asked which claim was the last.
_ASIDE_BEFORE = regex.compile(
    r"\b(?:back\s+in|from|near|visit(?:ed|ing|s)?|miss(?:ed|ing)?|than|unlike|leaving|instead\s+of)\s+(?:the\s+|my\s+|our\s+)?$"
)
_ASIDE_AFTER = regex.compile(r"^\W*(?:was|were|had\s+been)\b")
_BACK = regex.compile(r"^\W*(?:it|it's|that|that's|this|this's|the\s+number|they|those)\b")


Span = tuple[int, int]
MAX_SENTENCE = 600


def sentences(folded: str, breaks: Iterable[int] = ()) -> list[Span]:
    """Where the sentences of a folded text begin and end; `breaks` are places where a paragraph ends."""
    found: list[Span] = []
    at = 0
    for end in [*sorted(breaks), len(folded)]:
        found += _cut(folded, _SENTENCE_END, at, end)
        at = max(at, end)
    return [part for sentence in found for part in _at_most(folded, *sentence)]


def _at_most(folded: str, start: int, end: int) -> Iterable[Span]:
    """A sentence without an end (a pasted list, a prank) in pieces that can be read in reasonable time."""
    while end - start > MAX_SENTENCE:
        gap = folded.rfind(" ", start + 1, start + MAX_SENTENCE)
        stop = gap if gap > start else start + MAX_SENTENCE
        yield start, stop
        start = stop
    yield start, end


def clause_around(folded: str, sentence: Span, start: int) -> Span:
    """The clause of a sentence in which a place lies; "and" and "but" part clauses, too."""
    for begin, end in _cut(folded, _CLAUSE_END, *sentence):
        if begin <= start < end:
            return begin, end
    return sentence


def _cut(folded: str, pattern: regex.Pattern[str], start: int, end: int) -> list[Span]:
    found: list[Span] = []
    at = start
    for match in pattern.finditer(folded, start, end):
        if match.start() > at:
            found.append((at, match.start()))
        at = max(at, match.end())
    if at < end:
        found.append((at, end))
    return found


def meaning(
    folded: str,
    all_sentences: Sequence[Span],
    index: int,
    place: Span,
    *,
    denial: bool = False,
    past: bool = False,
    person: bool = True,
    value: str = "",
) -> Meaning:
    """How the value at `place`, in the sentence of that index, is meant there.

    denial: the claim itself is a denial or a dislike ("no coriander"), so a negation does not undo it.
    past: the claim itself is about what was (a former employer), or closes a fact.
    person: the claim's key itself is about other people. `value` (folded) may name them as well.
    """
    sentence = all_sentences[index]
    whole = folded[slice(*sentence)]
    clause = clause_around(folded, sentence, place[0])
    if _is_to_be_forgotten(folded, all_sentences, index, clause, place):
        return Meaning.FORGET
    if _IMAGINED.search(folded, sentence[0], place[0]):
        return Meaning.IMAGINED
    if _is_bare_question(whole):
        return Meaning.ASKED
    ahead = folded[clause[0] : place[0]]
    behind = folded[min(place[1], clause[1]) : clause[1]]
    if not past and _is_gone(ahead, behind):
        return Meaning.PAST
    if past:  # "no longer at Acme" is no denial of having been there
        ahead = _GONE_BEFORE.sub(" ", ahead)
    if not denial and _is_denied(ahead, behind, folded[slice(*clause)]):
        return Meaning.NEGATED
    return Meaning.OTHER if not person and _is_about_another(folded, clause, place, value) else Meaning.SAID


def is_about_people(key: str) -> bool:
    """Whether a (canonical) key itself names who else it is about."""
    return _PERSON.search(key.replace("_", " ").replace(".", " ")) is not None


def is_aside(folded: str, sentence: Span, place: Span) -> bool:
    """Whether the value is only mentioned there: "Graz was nice", "back in Graz"."""
    clause = clause_around(folded, sentence, place[0])
    ahead, behind = folded[clause[0] : place[0]], folded[place[1] : max(place[1], clause[1])]
    return bool(_ASIDE_BEFORE.search(ahead) or _ASIDE_AFTER.match(behind) or _OTHER_SUBJECT.search(ahead))


def _is_about_another(folded: str, clause: Span, place: Span, value: str) -> bool:
    """Another person is the subject whom the value does not name, and the clause says nothing of the speaker."""
    found = _OTHER_SUBJECT.search(folded, clause[0], place[0])
    if found is None or found["who"] in value:
        return False
    rest = folded[clause[0] : found.start()] + " " + folded[found.end() : clause[1]]
    return FIRST_PERSON.isdisjoint(_WORD.findall(rest))


def _is_to_be_forgotten(folded: str, all_sentences: Sequence[Span], index: int, clause: Span, place: Span) -> bool:
    """Whether the person asks, here or in the sentence beside it, that just this be forgotten or not be kept."""
    whole = folded[slice(*all_sentences[index])]
    inside = folded[slice(*clause)]
    if _NOT_TO_KEEP.search(whole) or _FORGET.search(inside):
        return True
    # "forget my number, it is 555", but not "forget Graz, I live in Linz"
    if _FORGET.search(folded[all_sentences[index][0] : place[0]]) and FIRST_PERSON.isdisjoint(_WORD.findall(inside)):
        return True
    before = folded[slice(*all_sentences[index - 1])] if index else ""
    after = folded[slice(*all_sentences[index + 1])] if index + 1 < len(all_sentences) else ""
    return bool((_BACK.match(whole) and _FORGET.search(before)) or _FORGET_THAT.match(after))


def _is_bare_question(whole: str) -> bool:
    """An English question about something else: nothing in it says anything about the speaker."""
    if not whole.rstrip("\"') ").endswith("?"):
        return False
    words = _WORD.findall(whole)
    return bool(words) and words[0] in QUESTION_OPENERS and FIRST_PERSON.isdisjoint(words)


def _is_gone(ahead: str, behind: str) -> bool:
    if _GONE_AFTER.match(behind):
        return True
    leaving = list(_GONE_BEFORE.finditer(ahead))
    if not leaving:
        return False
    found = leaving[-1]
    # "moved from Graz to Linz": what one leaves stands right behind the verb.
    between = len(_WORD.findall(ahead[found.end() :]))
    return between <= 1 if _LEAVING.search(found.group()) else between <= 4


def _is_denied(ahead: str, behind: str, clause: str) -> bool:
    ahead = _NOT_A_DENIAL.sub(" ", ahead)
    denials = sum(is_negation(word) for word in _WORD.findall(ahead))
    if denials:
        return denials % 2 == 1
    if _DENIED_AFTER.match(behind):
        return True
    return not clause.isascii() and _DENSE_DENIAL.search(clause) is not None and _DENSE.search(clause) is not None
