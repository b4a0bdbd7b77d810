"""Whose pages are shown: members see their own, and only that."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory import facts, profiles
from tests.dashboard.conftest import Visitor
from tests.people import Person


@pytest.fixture
def house(anna):
    """Anna's account has a second profile."""
    return profiles.resolve(user_id=anna.who.user_id, name="house", consent=True)


def test_it_offers_no_choice_where_there_is_one_profile(anna):
    assert "Switch" not in anna.page("/dashboard/facts").text


def test_it_switches_between_the_profiles_of_an_account(anna, house):
    anna.knows("city", "Oslo")
    facts.author(profile_id=house.id, fields={"key": "boiler.year", "value": "2019"})
    page = anna.page("/dashboard/facts")
    assert "Oslo" in page.text
    assert "2019" not in page.text
    assert {a["value"] for tag, a in page.elements if tag == "option"} >= {str(house.id), str(anna.who.profile_id)}
    assert anna.post("/dashboard/profile", {"profile": str(house.id)}).status_code == 303
    page = anna.page("/dashboard/facts")
    assert "2019" in page.text
    assert "Oslo" not in page.text
    fact = facts.author(profile_id=anna.who.profile_id, fields={"value": "secret"})
    assert anna.get(f"/dashboard/facts/{fact.id}").status_code == 404


def test_it_switches_to_nobody_elses(anna, bert, house):
    for wanted in (str(house.id), "", "x", "\0"):
        assert bert.post("/dashboard/profile", {"profile": wanted}).status_code == 404
    bert.client.session["profile"] = str(house.id)
    session = bert.client.session
    session["profile"] = str(house.id)
    session.save()
    facts.author(profile_id=house.id, fields={"value": "secret of the house"})
    assert "secret" not in bert.page("/dashboard/facts").text


def test_it_makes_a_profile_for_an_account_that_has_none(database):
    user = User.objects.create_user("carla")
    carla = Visitor(Person(user_id=user.pk, profile_id=None, key=""))
    assert "Memory is off" in carla.page("/dashboard/facts").text


def test_a_part_of_a_page_for_who_is_logged_out_sends_the_whole_page_to_the_login(anna):
    fact = anna.knows("city", "Oslo")
    response = Client().get(f"/dashboard/facts/{fact.id}", headers={"HX-Request": "true"})
    assert response.status_code == 204
    assert response["HX-Redirect"].startswith("/login/?next=")


def test_who_is_logged_out_goes_to_the_login_and_back(anna):
    response = Client().get("/dashboard/review?page=2")
    assert response.status_code == 302
    assert response["Location"] == "/login/?next=/dashboard/review%3Fpage%3D2"
