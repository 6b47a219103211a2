"""What scripts/reproduce is made of: the standard library, and the simulator, which draws the figures, too."""
