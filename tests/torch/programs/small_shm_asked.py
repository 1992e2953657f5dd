"""As small_shm.py with a torch that reserves what it asks for: the call fails, and nobody is hit by a signal."""
# expect: shm-no-space warning
# may: worker-failed warning
# needs: torch

from small_shm import main

if __name__ == "__main__":
    main()
