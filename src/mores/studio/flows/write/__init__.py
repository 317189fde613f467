"""Write: people of a place write questions with the help of models, and a curator opens them to others."""
