"""One module for each page, named after what it shows."""
