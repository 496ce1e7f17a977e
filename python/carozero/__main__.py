"""python -m carozero: the command carozero."""

import sys

from .program import main

sys.exit(main())
