"""SocialCC: cultural competence in conversation, under social pressure."""
