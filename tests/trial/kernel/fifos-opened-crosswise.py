"""A client opens the FIFO of requests for writing, the server that of answers: each open() waits for the other's reader."""
# expect: hang warning
# within: 6
# options: --hang-after 3
# says: until a process opens the FIFO for reading
# outside: nothing: that it lasts for longer than --hang-after

import multiprocessing
import os
import tempfile


def serve(place):
    with open(f"{place}/answers", "w") as answers, open(f"{place}/requests") as requests:
        answers.writelines(requests)


def main():
    with tempfile.TemporaryDirectory() as place:
        for name in ("requests", "answers"):
            os.mkfifo(f"{place}/{name}")
        server = multiprocessing.Process(target=serve, args=(place,))
        server.start()
        with open(f"{place}/requests", "w") as requests, open(f"{place}/answers") as answers:
            print("hello", file=requests)
            print(answers.read())
        server.join()


if __name__ == "__main__":
    main()
