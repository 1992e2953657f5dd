"""What cannot be done here is done by a program that an `except` starts and waits for; SIGTERM comes before it is done."""
# expect: none
# stop: SIGTERM 9

import subprocess


def main():
    try:
        raise NotImplementedError("no such operation on this device")
    except NotImplementedError:
        subprocess.run(["sleep", "30"], check=True)


if __name__ == "__main__":
    main()
