"""Every word of ours can be translated: with a language that puts all of them in brackets, none stands outside."""

import re
from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import User
from django.utils import translation

from memory.db import profile_scope
from memory.models import AuditLog, EpisodeSummary, Fact
from tests.browser.life import lived

# What is not ours to translate: names, values, times, code.
DATA = {"bdi", "code", "pre", "kbd", "time", "datalist", "script", "mark", "title", "textarea"}
NAMES = {"CAESAR", "memory", "JSON", "default", "General", "Beans", "en", "Noted", "thank", "you"}
WORD = re.compile(r"[A-Za-z]{2,}")
SPOKEN = ("aria-label", "placeholder", "title", "data-failed", "data-away", "data-database")


class Words(HTMLParser):
    """The words of a page that are neither data nor in brackets."""

    def __init__(self, content):
        super().__init__()
        self._open = []
        self._text = []
        self.outside = []
        self.feed(content)
        text = "".join(self._text)
        bare = re.sub(r"⟦[^⟦⟧]*⟧", " ", re.sub(r"⟦[^⟦⟧]*⟧", " ", text))
        self.outside += [word for word in WORD.findall(bare) if word not in NAMES]

    def handle_starttag(self, tag, attrs):
        if tag not in ("input", "meta", "link", "br", "line", "rect"):
            self._open.append((tag, dict(attrs)))
        for name, value in attrs:
            if name in SPOKEN and tag != "time" and value:
                bare = re.sub(r"⟦[^⟦⟧]*⟧", " ", value)
                self.outside += [word for word in WORD.findall(bare) if word not in NAMES]

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        is_data = any(tag in DATA or "data" in (attrs.get("class") or "").split() for tag, attrs in self._open)
        self._text.append(" " if is_data else data)


@pytest.fixture
def bracketed(monkeypatch):
    monkeypatch.setattr(translation._trans, "gettext", lambda words: f"⟦{words}⟧")
    monkeypatch.setattr(translation._trans, "pgettext", lambda context, words: f"⟦{words}⟧")
    monkeypatch.setattr(translation._trans, "ngettext", lambda one, many, number: f"⟦{one if number == 1 else many}⟧")


PATHS = [
    "/dashboard/facts",
    "/dashboard/facts?group=entity&status=past",
    "/dashboard/facts?status=deleted",
    "/dashboard/facts/add",
    "/dashboard/facts/{fact}",
    "/dashboard/facts/{fact}/history",
    "/dashboard/facts/{fact}/delete",
    "/dashboard/review",
    "/dashboard/entities",
    "/dashboard/entities/{entity}",
    "/dashboard/episodes",
    "/dashboard/episodes/{episode}",
    "/dashboard/episodes/{episode}/delete",
    "/dashboard/context",
    "/dashboard/chat",
    "/dashboard/chat/given/{chat}",
    "/dashboard/people",
    "/dashboard/workers",
    "/dashboard/workers?state=done",
    "/dashboard/settings",
    "/dashboard/settings/erase",
    "/dashboard/settings/import",
    "/dashboard/settings/password",
    "/dashboard/audit",
    "/dashboard/audit/{source}",
]


@pytest.mark.parametrize("full", [True, False])
def test_no_word_of_ours_stands_outside(anna, bracketed, full):
    if full:
        lived(anna.who)
    User.objects.filter(id=anna.who.user_id).update(is_superuser=True, is_staff=True)
    names = {}
    if full:
        with profile_scope(anna.who.profile_id):
            beans = Fact.objects.get(value="Beans")
            names = {
                "fact": Fact.objects.get(value="Pikk 14").id,
                "entity": beans.entity_id,
                "source": beans.source_audit_id,
                "chat": AuditLog.objects.filter(event_type="chat.completed").latest("id").id,
                "episode": EpisodeSummary.objects.first().id,
            }
    left = {}
    for path in PATHS:
        if "{" in path and not full:
            continue
        words = Words(anna.get(path.format(**names)).content.decode()).outside
        if words:
            left[path] = words
    assert not left, str(left)[:3000]
