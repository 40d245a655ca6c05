"""Models: the embedded demo, folders on this machine, and downloads from the hub."""
