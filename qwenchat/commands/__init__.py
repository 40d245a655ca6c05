"""What QwenChat does from a terminal besides serving: ``download`` and ``models``.

Exit statuses: 0 done; 1 it did not succeed; 2 it was asked wrongly, or this machine is set up
so that it cannot be done; 130 (SIGINT) or 143 (SIGTERM) paused.
"""
