"""Programs that read a project, and addresses that are told of it."""
