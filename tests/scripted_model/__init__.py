"""A model that answers as it is told, on loopback, at the real wire. See `ScriptedModel`."""

from tests.scripted_model.model import ScriptedModel
from tests.scripted_model.recorded import Recorded
from tests.scripted_model.replies import Body, Hang, HangUp, Raw, Reply, Sse, Status, Text, ToolCalls, Vectors

__all__ = [
    "Body",
    "Hang",
    "HangUp",
    "Raw",
    "Recorded",
    "Reply",
    "ScriptedModel",
    "Sse",
    "Status",
    "Text",
    "ToolCalls",
    "Vectors",
]
