"""The prompts, each a text file with its version in the name."""
