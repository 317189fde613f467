"""The norm ladder: the same norm probed rung by rung, on the bundled pack or one of your own."""
