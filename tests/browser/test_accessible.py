"""Each page, wide and narrow, light and dark, full and empty: nothing that keeps people from using it."""

import pytest
from django.contrib.auth.models import User

from memory import apikeys, facts, profiles, spaces
from memory.db import profile_scope
from memory.models import EpisodeSummary, Fact
from tests.browser.conftest import NARROW, WIDE
from tests.browser.life import discussed, knows, lived, read, told, waits

PATHS = [
    "/dashboard/facts",
    "/dashboard/facts?group=entity",
    "/dashboard/facts?status=past",
    "/dashboard/facts?status=deleted",
    "/dashboard/facts/add",
    "/dashboard/review",
    "/dashboard/entities",
    "/dashboard/episodes",
    "/dashboard/context",
    "/dashboard/chat",
    "/dashboard/people",
    "/dashboard/workers",
    "/dashboard/settings",
    "/dashboard/settings/import",
    "/dashboard/settings/erase",
    "/dashboard/settings/password",
    "/dashboard/audit",
    "/dashboard/audit?kind=refused",
]
LONG = ("w" * 3000, "\u202egnp.exe \u2066" + "\u0639\u0631\u0628\u064a" * 200, "Donaudampfschifffahrt" * 60)
OF_A_FACT = ["/dashboard/facts/{fact}", "/dashboard/facts/{fact}/history", "/dashboard/facts/{fact}/delete"]


def fits(sight, path):
    """Opens a page that is no wider than its window and has one heading of its own."""
    page = sight.open(path)
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{path} is wider than the window by {wide}"
    assert page.locator("h1").count() == 1, path
    return page


def looks(sight, paths):
    for path in paths:
        page = fits(sight, path)
        assert sight.serious() == [], path
        page.emulate_media(color_scheme="dark")  # which changes nothing but colours
        assert sight.serious("color-contrast") == [], f"{path} in the dark"
        page.emulate_media(color_scheme="light")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_it_can_be_used_by_everyone(look, anna, size):
    lived(anna)
    User.objects.filter(id=anna.user_id).update(is_superuser=True, is_staff=True)
    profiles.resolve(user_id=anna.user_id, name="house", consent=True)
    spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work", "name": "Office"})
    with profile_scope(anna.profile_id):
        fact = Fact.objects.get(value="Pikk 14")
        entity = Fact.objects.get(value="Beans").entity_id
        source = Fact.objects.get(value="Beans").source_audit_id
        gone = Fact.objects.get(value="hazelnuts")
    facts.delete(profile_id=anna.profile_id, fact_id=gone.id)
    more = [path.format(fact=fact.id) for path in OF_A_FACT]
    more += [f"/dashboard/entities/{entity}", f"/dashboard/audit/{source}"]
    with profile_scope(anna.profile_id):
        episode = EpisodeSummary.objects.latest("recall_count").id
    more += [f"/dashboard/episodes/{episode}", f"/dashboard/episodes/{episode}/delete"]
    more += [f"/dashboard/people/{anna.profile_id}/spaces/work/remove"]
    looks(look(viewport=size), [*PATHS, *more])


def test_it_can_be_used_by_everyone_where_there_is_nothing_yet(look):
    looks(look(viewport=NARROW), PATHS)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_long_words_of_any_script_fit_into_the_window(look, anna, size):
    """Names and values that have no place to break, and some that run the other way."""
    User.objects.filter(id=anna.user_id).update(is_superuser=True, is_staff=True)
    for n, word in enumerate(LONG):
        audit_id = told(anna, word, f"{n} {word[:100]}")
        knows(anna, f"note.odd{n}", word[:900], quote=word[:900], audit_id=audit_id)
        knows(anna, ("colleague.name", "brother.name", "neighbour.name")[n], word[:200])
        waits(anna, f"note.odd{n}", word[:899], ["review"], quote=word[:899], source_audit_id=audit_id)
        discussed(anna, f"About {word}", word, people=[word[:300]], decisions=[word])
        read(anna, audit_id, state="dead", error=word, error_code="x", raw_reply=word, model=word[:200])
        spaces.create_space(profile_id=anna.profile_id, fields={"slug": f"s{n}" + "x" * 50, "name": word[-90:]})
        profiles.resolve(user_id=anna.user_id, name=word[-90:])
        apikeys.create(user_id=anna.user_id, name=word)
    with profile_scope(anna.profile_id):
        fact = Fact.objects.filter(key="note.odd0", state="current").get()
        entity = Fact.objects.filter(entity_id__isnull=False).first().entity_id
        episode = EpisodeSummary.objects.first().id
    more = [path.format(fact=fact.id) for path in OF_A_FACT] + [f"/dashboard/entities/{entity}"]
    more += [f"/dashboard/episodes/{episode}", f"/dashboard/audit/{fact.source_audit_id}"]
    sight = look(viewport=size)
    for path in [*PATHS, *more]:
        fits(sight, path)


def test_what_forms_answer_with_can_be_used_by_everyone(look, anna):
    lived(anna)
    sight = look(viewport=NARROW, color_scheme="dark")
    for path, tick, press in (
        ("/dashboard/facts", True, "Delete what is ticked"),
        ("/dashboard/review", True, "Approve what is ticked"),
        ("/dashboard/settings", False, "Make a key"),
    ):
        page = sight.open(path)
        if tick:
            page.get_by_role("button", name="Tick all").click()
        else:
            page.get_by_label("Name of a new key").fill("lamp")
        with page.expect_navigation():
            page.get_by_role("button", name=press).click()
        assert sight.serious() == [], path
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, path


def test_the_login_can_be_used_by_everyone(look):
    sight = look()
    sight.context.clear_cookies()
    looks(sight, ["/login/", "/login/?token=x"])


def test_the_look_sees_what_is_wrong(sight):
    page = sight.open("/dashboard/facts/add")
    page.evaluate("document.querySelector('label[for=id_value]').remove()")
    page.evaluate("document.querySelector('h1').setAttribute('style', 'color: #ddd')")
    found = " ".join(sight.serious())
    assert "label:" in found
    assert "label:" not in " ".join(sight.serious("color-contrast"))
    sight.troubles = [each for each in sight.troubles if "style-src" not in each and "inline style" not in each]


CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary"


@pytest.mark.parametrize("path", [path for path in PATHS if "?" not in path])
def test_each_control_of_each_page_is_reached_by_the_tab_key_and_shows_it(sight, anna, path):
    lived(anna)
    page = sight.open(path)
    reached = set()
    for _ in range(page.locator(CONTROLS).count() + 12):  # a date is four stops
        page.keyboard.press("Tab")
        outline, what = page.evaluate(
            "() => { const e = document.activeElement;"
            " return [e === document.body ? 'page' : getComputedStyle(e).outlineStyle, e.outerHTML.slice(0, 300)] }"
        )
        assert outline != "none", what
        reached.add(what)
    # Of radio buttons the one that is chosen is a stop, and the arrow keys lead to the others.
    there = page.evaluate(
        "(controls) => Array.from(document.querySelectorAll(controls)).filter(e => e.checkVisibility() && !e.disabled"
        " && e.type !== 'radio').map(e => e.outerHTML.slice(0, 300))",
        CONTROLS,
    )
    assert set(there) - reached == set()


def test_every_control_can_be_reached_and_seen_by_keyboard(sight, anna):
    lived(anna)
    page = sight.open("/dashboard/facts")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        what = page.evaluate(
            "() => { const e = document.activeElement, s = getComputedStyle(e);"
            " return [e.tagName, (e.textContent || e.name || e.id).trim().slice(0, 20), s.outlineStyle] }"
        )
        assert what[2] != "none", what
        seen.add((what[0], what[1].split()[0] if what[1] else ""))
    assert {("A", "Add"), ("INPUT", "q"), ("A", "Edit"), ("A", "History"), ("A", "Delete")} <= seen
