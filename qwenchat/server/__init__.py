"""Running the app as a program: command line, port, log, and serving until it is ended."""
