"""GET /v1/models."""

from memory.config import LLM


def test_it_lists_what_is_configured_as_openai_does(anna, settings):
    assert anna.get("/v1/models").json() == {
        "object": "list",
        "data": [{"id": "builtin", "object": "model", "created": 0, "owned_by": "builtin"}],
    }
    llm = LLM.model_validate({"provider": "ollama", "model": "llama3.1:8b"})
    settings.CAESAR = settings.CAESAR.model_copy(update={"llm": llm})
    assert [m["id"] for m in anna.get("/v1/models").json()["data"]] == ["ollama/llama3.1:8b"]
