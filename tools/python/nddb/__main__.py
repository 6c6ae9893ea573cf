"""``python -m nddb`` is the command ``nddb``."""

import sys

from nddb._command import main

if __name__ == "__main__":
    sys.exit(main())
