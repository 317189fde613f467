"""CARE: questions that people of Arab countries, China and Japan wrote in their own languages."""
