"""Start QwenChat: ``python app.py``; ``python app.py --help`` lists the settings."""

if __name__ == "__main__":
    from qwenchat.__main__ import main

    main()
