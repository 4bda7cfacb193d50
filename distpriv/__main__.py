"""``python -m distpriv`` is the command ``distpriv``."""

import sys

from distpriv.dashboard.command import main

if __name__ == "__main__":
    sys.exit(main())
