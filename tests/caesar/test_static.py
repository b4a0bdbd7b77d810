"""Our own files for the pages."""

import pytest
from django.test import Client


@pytest.mark.usefixtures("database")
def test_it_sends_a_file_whole_and_in_part_and_says_what_it_is():
    client = Client()
    whole = client.get("/static/dashboard/caesar.css")
    assert whole.status_code == 200
    assert not whole.streaming
    assert whole["Content-Type"].startswith("text/css")
    assert b"prefers-color-scheme" in whole.content
    assert int(whole["Content-Length"]) == len(whole.content)
    part = client.get("/static/dashboard/caesar.css", headers={"Range": "bytes=0-9"})
    assert (part.status_code, part.content) == (206, whole.content[:10])
    assert client.head("/static/dashboard/caesar.css").content == b""
    unchanged = client.get("/static/dashboard/caesar.css", headers={"If-Modified-Since": whole["Last-Modified"]})
    assert unchanged.status_code == 304


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("path", ["/static/../manage.py", "/static/%2e%2e/manage.py", "/static/none.css", "/static/"])
def test_it_sends_nothing_else(path):
    assert Client().get(path).status_code == 404
