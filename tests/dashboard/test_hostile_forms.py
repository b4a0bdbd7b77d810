"""Every field of every form, with what nobody should type: never a failure of ours, never an element of theirs."""

import re
from html.parser import HTMLParser
from urllib.parse import quote_plus

import pytest
from django.contrib.auth.models import User

from tests.dashboard import every_page
from tests.dashboard.conftest import Page
from tests.dashboard.test_every_page import live

HOSTILE = {
    "html": "<img src=x onerror=alert(1)><b>bold</b><svg onload=alert(2)>",
    "js": "\"' autofocus onfocus=alert(3) x='</script><script>alert(4)</script></textarea>javascript:alert(5)",
    "rtl": "\u202egnp.exe \u2066 عربي\u2067 שלום",
    "word": "w" * 16_384,
    "nul": "be\0fore\0",
    "template": "{{ 7|add:42 }} {% debug %} %(name)s {0}",
    "number": "9" * 40,
}
ALONE = {"csrfmiddlewaretoken", "next"}
NOT_SENT = ("/logout/", "/dashboard/settings/models/")


class Forms(HTMLParser):
    """The forms of a page: where each goes, how, and its fields with what stands in them."""

    def __init__(self, content):
        super().__init__()
        self.found = []
        self._select = self._area = None
        self.feed(content)

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if tag == "form":
            self.found.append({"action": a.get("action"), "method": (a.get("method") or "get").lower(), "fields": {}})
        if not self.found:
            return
        fields = self.found[-1]["fields"]
        if tag in ("input", "textarea") and a.get("name") and a.get("type") not in ("checkbox", "radio"):
            fields[a["name"]] = a.get("value", "")
        if tag == "input" and a.get("type") in ("checkbox", "radio") and "checked" in a:
            fields[a["name"]] = a.get("value", "on")
        if tag == "button" and a.get("name"):
            fields.setdefault(a["name"], a.get("value", ""))
        if tag == "select":
            self._select = a["name"]
        if tag == "option" and self._select and ("selected" in a or self._select not in fields):
            fields[self._select] = a.get("value") or ""
        self._area = a.get("name") if tag == "textarea" else self._area

    def handle_data(self, data):
        if self._area and self.found:
            self.found[-1]["fields"][self._area] += data

    def handle_endtag(self, tag):
        if tag == "textarea":
            self._area = None
        if tag == "select":
            self._select = None


def forms(visitor, paths):
    """Each kind of form once: those that differ in ids alone are one."""
    known = {}
    for path in paths:
        response = visitor.get(path)
        if response["Content-Type"].startswith("text/html"):
            for form in Forms(response.content.decode()).found:
                form["action"] = form["action"] or path.partition("?")[0]
                kind = re.sub(r"[0-9a-f-]{36}|\d+", "…", form["action"]), form["method"], frozenset(form["fields"])
                known.setdefault(kind, form)
    return [form for form in known.values() if not form["action"].startswith(NOT_SENT)]


def encoded(fields):
    return "&".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in fields.items())


def send(visitor, form, fields):
    if form["method"] == "get":
        return visitor.get(f"{form['action']}?{encoded(fields)}")
    return visitor.client.post(form["action"], encoded(fields), content_type="application/x-www-form-urlencoded")


def foreign(page):
    """What no page of ours has: elements and attributes that came from what was typed."""
    ours = {"src": "/static/", "href": ("/", "#", "?")}
    found = [tag for tag, _ in page.elements if tag in ("img", "b", "iframe", "object", "style", "base")]
    for tag, attrs in page.elements:
        found += [f"{tag} {name}" for name in attrs if name.startswith("on") or name == "style"]
        if tag == "script":
            found += [] if str(attrs.get("src", "")).startswith(ours["src"]) else ["script without our src"]
        if tag == "a" and not str(attrs.get("href", "/")).startswith(ours["href"]):
            found.append(f"a to {attrs.get('href')}")
    return found


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_form_fails_or_lets_anything_out(anna, kind):
    User.objects.filter(id=anna.who.user_id).update(is_superuser=True, is_staff=True)
    live(anna.who, 1)
    paths = list(every_page.of(every_page.things(anna.who.profile_id)).values())
    there = forms(anna, paths)
    assert len(there) > 20
    wrong = []
    for form in there:
        for field in form["fields"].keys() - ALONE:
            response = send(anna, form, {**form["fields"], field: HOSTILE[kind]})
            where = (form["action"], field, response.status_code)
            if response.status_code >= 500:
                wrong.append(where)
            elif response.status_code == 303:
                response = anna.get(response["Location"])
            if response["Content-Type"].startswith("text/html"):
                wrong += [(*where, odd) for odd in foreign(Page(response.content))]
    for path in every_page.of(every_page.things(anna.who.profile_id)).values() if kind != "number" else ():
        response = anna.get(path)
        if response.status_code >= 500:
            wrong.append((path, response.status_code))
        if response["Content-Type"].startswith("text/html"):
            wrong += [(path, odd) for odd in foreign(Page(response.content))]
    assert wrong == []


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"\xed\xa0\x80", b"%00", b"%ED%A0%80%FF"])
def test_bytes_that_are_no_text_are_refused_or_evened_out(anna, raw):
    for name in ("value", "key", "category", "space", "importance", "expires", "nonsense"):
        body = b"value=tea&" + name.encode() + b"=" + raw
        response = anna.client.post("/dashboard/facts/add", body, content_type="application/x-www-form-urlencoded")
        assert response.status_code in (303, 400), (name, response.status_code)
    assert anna.get("/dashboard/facts").status_code == 200
