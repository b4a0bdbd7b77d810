"""Django admin: the operator's view of every table, through the same verbs as everyone else."""
