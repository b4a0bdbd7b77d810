"""docs/reference, made from the code: `make reference`."""
