"""Files of other products, one module each: what a record of theirs says, as `memory.portable.found` has it."""
