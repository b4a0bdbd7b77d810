"""The dashboard's chat: the chat's own code behind a session instead of a key."""
