"""The database of conversations: everything that must outlive the process, and finding it."""
