"""The models of the running app: which one is loaded, and how another takes its place."""
