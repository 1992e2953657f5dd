"""The cure of shared-file-offset.py: each child reads by pread, or opens the file itself."""
# expect: none
# silent: shared-file-offset

import os
import tempfile


def main():
    with tempfile.NamedTemporaryFile(buffering=0) as file:
        file.write(b"".join(b"%08d" % number for number in range(8000)))
        children = []
        for rank in range(4):
            pid = os.fork()
            if pid == 0:
                wrong = sum(int(os.pread(file.fileno(), 8, place * 8)) != place for place in range(8000))
                with open(file.name, "rb", buffering=0) as own:
                    own.seek(rank * 8)
                    wrong += int(own.read(8)) != rank
                os._exit(wrong != 0)
            children.append(pid)
        print([os.waitpid(pid, 0)[1] for pid in children])


if __name__ == "__main__":
    main()
