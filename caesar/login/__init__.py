"""How a person gets into the pages: an account, a one-time link, or the operator's fixed token."""
