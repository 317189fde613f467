"""CulturalBench (Chiu et al., 2024): what people of 45 places know of their own customs."""
