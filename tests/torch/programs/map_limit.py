"""Every shared tensor is a mapping, and a process may have some 65 000."""
# expect: shm-map-limit error
# may: shm-map-limit warning
# needs: torch

from pathlib import Path

import torch
import torch.multiprocessing as mp


def main():
    mp.set_sharing_strategy("file_system")
    limit = int(Path("/proc/sys/vm/max_map_count").read_text())
    kept = []
    try:
        while len(kept) <= limit:
            kept.append(torch.zeros(1).share_memory_())
    except RuntimeError:
        print("no more mappings:", len(kept) > limit // 2)


if __name__ == "__main__":
    main()
