"""GET /v1/models."""

from memory.config import LLM


def test_it_lists_what_is_configured_as_openai_does(anna, settings):
    assert anna.get("/v1/models").json() == {
        "object": "list",
        "data": [
            {"id": "builtin", "object": "model", "created": 0, "owned_by": "builtin"},
            {"id": "local/all-MiniLM-L6-v2", "object": "model", "created": 0, "owned_by": "local"},
        ],
    }
    llm = LLM.model_validate({"provider": "ollama", "model": "llama3.1:8b"})
    settings.CAESAR = settings.CAESAR.model_copy(update={"llm": llm})
    listed = [m["id"] for m in anna.get("/v1/models").json()["data"]]
    assert listed == ["ollama/llama3.1:8b", "local/all-MiniLM-L6-v2"]
