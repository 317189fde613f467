"""The instrument's own certificate, held to its word: every experiment of `mores.validity` at reduced draws."""
