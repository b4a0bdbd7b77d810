"""Why a proposal waits, in words."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.domain.judge import REASONS
from memory.domain.sensitive import SensitiveClass

CLASSES = {
    SensitiveClass.HEALTH: gettext_lazy("health"),
    SensitiveClass.SENSITIVE_PERSONAL: gettext_lazy("something very personal"),
}


def in_words(codes: list[str]) -> list[str]:
    """A sentence for each code, each once; a code that nobody knows stands for itself."""
    return list(dict.fromkeys(_sentence(code) for code in codes))


def _sentence(code: str) -> str:
    kind, _colon, detail = code.partition(":")
    if kind == "sensitive":
        about = next((words for cls, words in CLASSES.items() if cls.value == detail), detail)
        return _("It is about %(class)s, which you want to be asked about.") % {"class": about}
    # The sentences are the domain's; `gettext` finds their translations where there are some.
    return _(REASONS.get(code) or REASONS.get(kind) or code)
