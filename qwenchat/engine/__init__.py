"""The engine: a process that owns vLLM, and the client through which others use it."""
