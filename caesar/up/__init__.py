"""`make up`: everything on this machine under one supervisor, from an empty folder to the first answer."""
