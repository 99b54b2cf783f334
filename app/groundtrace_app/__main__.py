"""`python -m groundtrace_app` is the command `groundtrace`."""

from groundtrace_app.cli import main

if __name__ == "__main__":
    main()
