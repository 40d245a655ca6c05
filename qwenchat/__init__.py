"""QwenChat: a private chat assistant on a CPU, served by vLLM and shown by Gradio."""

__version__ = "0.1.0"
