"""Help of models for people who write: what is asked, the jobs that wait, and who carries them out."""
