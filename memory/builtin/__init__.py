"""What the product can do for a person with no language model configured."""
