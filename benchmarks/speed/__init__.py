"""What a call costs beyond the model's own time: ours beside a bare loop and beside our neighbours."""
