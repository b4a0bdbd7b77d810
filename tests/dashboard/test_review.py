"""/dashboard/review: what waits, beside what it would change, and the answers."""

import pytest

from memory import profiles
from memory.db import profile_scope
from memory.models import Fact
from tests.browser.life import waits
from tests.dashboard.test_facts import HOSTILE


def states(visitor):
    with profile_scope(visitor.who.profile_id):
        return dict(Fact.objects.values_list("value", "state"))


def answer(visitor, fact, what, htmx=False, **typed):
    typed = {"answer": what, "version": fact.version, **typed}
    headers = {"HX-Request": "true"} if htmx else {}
    return visitor.client.post(f"/dashboard/review/{fact.id}", typed, headers=headers)


def test_it_says_what_will_appear(anna):
    assert "Nothing waits for you" in anna.page("/dashboard/review").text
    profiles.update(profile_id=anna.who.profile_id, changes={"approval": "review"})
    assert "asks about everything" in anna.page("/dashboard/review").text


def test_it_shows_conflicts_first_with_the_current_value_struck_through(anna):
    anna.knows("address.city", "Oslo")
    waits(anna.who, "address.city", "Tartu", ["against_pinned"])
    waits(anna.who, "preference.tea", "white tea", ["low_confidence"])
    response = anna.get("/dashboard/review").content.decode()
    assert "<del><bdi>You live in Oslo.</bdi></del>" in response
    assert "<ins><bdi>You live in Tartu.</bdi></ins>" in response
    assert response.index("Tartu") < response.index("white tea")
    for words in (
        "It contradicts what you wrote",
        "The model was not sure of it",
        ">Replace<",
        ">Approve<",
        ">Reject<",
    ):
        assert words in response
    assert 'class="count" id="review-count">2<' in anna.get("/dashboard/facts").content.decode()


def test_it_is_no_conflict_in_another_space_or_with_the_same_value(anna):
    from memory import spaces

    space = spaces.create_space(profile_id=anna.who.profile_id, fields={"slug": "work"})
    anna.knows("address.city", "Oslo")
    waits(anna.who, "address.city", "Tartu", ["review"], space_id=space.id)
    waits(anna.who, "address.city", "oslo", ["review"])
    text = anna.page("/dashboard/review").text
    assert "Would change what is known" not in text
    assert "known already" in text


def test_it_replaces(anna):
    anna.knows("address.city", "Oslo")
    proposal = waits(anna.who, "address.city", "Tartu", ["against_pinned"])
    assert answer(anna, proposal, "approve")["Location"] == "/dashboard/review"
    assert states(anna) == {"Oslo": "superseded", "Tartu": "current"}
    assert "Approved." in anna.page("/dashboard/review").text


def test_it_rejects(anna):
    proposal = waits(anna.who, "address.city", "Tartu", ["review"])
    answer(anna, proposal, "reject")
    assert states(anna) == {"Tartu": "rejected"}


def test_it_approves_an_edited_value(anna):
    proposal = waits(anna.who, "address.city", "Tartu", ["review"])
    answer(anna, proposal, "approve", value="Tartumaa")
    assert states(anna) == {"Tartu": "rejected", "Tartumaa": "current"}


def test_it_ends_what_is_said_to_be_over(anna):
    anna.knows("work.employer", "Kestrel")
    proposal = waits(anna.who, "work.employer", "Kestrel", ["review"], op="retract")
    page = anna.page("/dashboard/review").text
    assert "You said that this is no longer so" in page
    assert "It is over" in page
    answer(anna, proposal, "approve")
    with profile_scope(anna.who.profile_id):
        assert not Fact.objects.filter(state="current").exists()


def test_an_answer_in_the_page_says_how_many_are_left_and_reads_it_out(anna):
    proposal = waits(anna.who, "address.city", "Tartu", ["review"])
    waits(anna.who, "preference.tea", "white tea", ["review"])
    response = answer(anna, proposal, "approve", htmx=True)
    assert response.status_code == 200
    assert response["HX-Trigger"] == '{"said": "Approved."}'
    content = response.content.decode()
    assert f'id="proposal-{proposal.id}"' in content
    assert 'hx-swap-oob="true">1<' in content
    assert "<html" not in content


@pytest.mark.parametrize(
    ("what", "typed", "status"),
    [
        ("approve", {"value": ""}, 400),
        ("approve", {"value": "\0"}, 400),
        ("approve", {"value": "x" * 1001}, 400),
        ("approve", {"version": "99"}, 409),
        ("explode", {}, 400),
        ("approve", {"value": "My card is 4111 1111 1111 1111"}, 400),
    ],
)
def test_it_says_what_cannot_be_and_keeps_what_was_typed(anna, what, typed, status):
    proposal = waits(anna.who, "address.city", "Tartu", ["review"])
    response = answer(anna, proposal, what, htmx=True, **typed)
    assert response.status_code == status
    assert b'role="alert"' in response.content
    assert states(anna) == {"Tartu": "pending"}
    assert answer(anna, proposal, what, **typed).status_code == 303


def test_nobody_else_can_answer(anna, bert):
    proposal = waits(anna.who, "address.city", "Tartu", ["review"])
    for what in ("approve", "reject"):
        assert answer(bert, proposal, what).status_code == 404
    bert.post("/dashboard/facts/bulk", {"action": "approve", "ids": [str(proposal.id)], "sure": "1"})
    assert states(anna) == {"Tartu": "pending"}


def test_many_are_approved_in_the_order_in_which_they_were_said(anna):
    from datetime import UTC, datetime, timedelta

    early = waits(anna.who, "address.city", "Oslo", ["review"], said_at=datetime.now(UTC) - timedelta(days=2))
    late = waits(anna.who, "address.city", "Tartu", ["review"])
    typed = {"action": "approve", "ids": [str(late.id), str(early.id)], "next": "/dashboard/review"}
    shown = " ".join(anna.post("/dashboard/facts/bulk", typed).content.decode().split())
    assert "Approve 2 proposals" in shown
    assert states(anna) == {"Oslo": "pending", "Tartu": "pending"}
    assert anna.post("/dashboard/facts/bulk", {**typed, "sure": "1"})["Location"] == "/dashboard/review"
    assert states(anna) == {"Oslo": "superseded", "Tartu": "current"}


@pytest.mark.parametrize("value", [*HOSTILE, "w" * 16_384], ids=range(len(HOSTILE) + 1))
def test_no_element_or_attribute_comes_from_a_proposal(anna, value):
    harmless = waits(anna.who, "note.one", "harmless", ["review"], quote="harmless")
    before = anna.page("/dashboard/review").shape
    with profile_scope(anna.who.profile_id):
        Fact.objects.filter(id=harmless.id).update(value=value, quote=value, reasons=["review"], key=value[:200])
    assert anna.page("/dashboard/review").shape == before


def test_a_reason_that_nobody_knows_stands_for_itself(anna):
    waits(anna.who, "note.one", "x", ["<b>new reason</b>", "sensitive:health", "not_asserted:unheard"])
    text = anna.page("/dashboard/review").text
    assert "<b>new reason</b>" in text
    assert "about health" in text
