"""The parent reads the output of its first child to the end; a second one, forked later, has the write end and waits for the parent."""
# expect: deadlock-cycle error
# within: 8

import os


def main():
    output, output_end = os.pipe()
    orders, orders_end = os.pipe()
    writer = os.fork()
    if writer == 0:
        os.write(output_end, b"done")
        os._exit(0)
    helper = os.fork()
    if helper == 0:
        os.close(orders_end)
        os.read(orders, 1)
        os._exit(0)
    os.close(output_end)
    text = b""
    while data := os.read(output, 100):
        text += data
    os.write(orders_end, b"x")
    print(text)


main()
