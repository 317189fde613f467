"""Getting in: the owner's link, invites, signing in, screening and consent."""
