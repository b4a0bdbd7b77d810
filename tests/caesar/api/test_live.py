"""The running web process serves what Django serves, beside the chat."""

import httpx

from caesar.login import tokens
from memory import profiles
from tests.people import person
from tests.server import running


def test_it_serves_the_api_and_the_pages(database, broker):
    anna = person("anna")
    profiles.ensure_operator()
    with running() as web, httpx.Client(base_url=web.url) as http:
        made = http.post("/v1/facts", json={"key": "dog.name", "value": "Beans"}, headers=anna.auth)
        assert made.status_code == 201
        told = http.post(
            "/v1/chat", json={"messages": [{"role": "user", "content": "Who is my dog?"}]}, headers=anna.auth
        )
        assert told.json()["memory"]["facts"][0]["id"] == made.json()["id"]
        rows = http.get("/v1/audit", headers=anna.auth).json()["results"]
        assert [r["event_type"] for r in rows] == ["chat.completed", "memory.fact.added"]
        used = http.get(f"/v1/facts/{made.json()['id']}", headers=anna.auth).json()
        assert used["last_used_at"] is not None
        assert "caesar_chats_total" in http.get("/metrics", headers=anna.auth).text
        assert http.get("/readyz").json()["checks"]["database"]["ok"]

        assert http.get("/").headers["location"] == "/dashboard/facts"
        assert http.get("/dashboard/facts").headers["location"].startswith("/login/")
        link = tokens.make()
        page = http.get(link)
        assert "Content-Security-Policy" in page.headers
        typed = {"token": link.partition("=")[2], "csrfmiddlewaretoken": http.cookies["csrftoken"]}
        entered = http.post("/login/", data=typed)
        assert (entered.status_code, entered.headers["location"]) == (303, "/dashboard/facts")
        assert http.get("/dashboard/facts").status_code == 200
        for path in ("/static/dashboard/caesar.css", "/docs/", "/schema/", "/admin/", "/static/admin/css/base.css"):
            assert http.get(path).status_code == 200, path
        assert http.get("/v1/facts").status_code == 401  # the session opens nothing there
        assert http.get("/v1/nothing").json()["error"]["code"] == "not_found"
        assert "Warning" not in web.said
        assert "Traceback" not in web.said
