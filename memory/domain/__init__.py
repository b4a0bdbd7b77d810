"""Pure decisions on frozen values. Nothing here reads a clock, a database or a network."""
