"""Records of decisions and releases, and the one door through which a figure is released."""
