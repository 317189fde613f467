"""The norm ladder: one model on the same norms, rung by rung, and where it breaks."""




