"""Parts of scripts/reproduce. They use the standard library and the simulator, which also draws the figures."""
