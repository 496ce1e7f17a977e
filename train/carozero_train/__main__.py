import sys

from .process import keep_memory

if __name__ == "__main__":
    keep_memory(sys.argv[1:])

from .cli import main  # noqa: E402 - torch is imported after the process has begun again

sys.exit(main())
