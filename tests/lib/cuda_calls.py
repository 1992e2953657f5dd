"""CUDA through ctypes, for programs under test: the runtime and the driver that the loader finds, the real ones or
the stand-in of tests/fake. A call that fails raises Refused, whose `code` is CUDA's."""

import ctypes
import ctypes.util

RUNTIMES = ("libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0")
TO_DEVICE, TO_HOST = 1, 2
LAZY_PEER_ACCESS = 1
INTERPROCESS_EVENT = 4 | 2  # with timing disabled, as it must be


class Refused(Exception):
    def __init__(self, name, code):
        super().__init__(f"{name}: {code}")
        self.code = code


class Library:
    """Functions of one library by name. Whole numbers go over as 64 bits: CUDA takes no narrower ones in memory."""

    def __init__(self, *names):
        self._library = first_of(names)

    def __getattr__(self, name):
        function = getattr(self._library, name)

        def call(*arguments):
            code = function(*[ctypes.c_uint64(each) if isinstance(each, int) else each for each in arguments])
            if code:
                raise Refused(name, code)
        return call


def first_of(names):
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise OSError(f"none of {', '.join(names)} is here")


class Handle(ctypes.Structure):
    """64 bytes, passed by value: of memory, or of an event."""

    _fields_ = [("bytes", ctypes.c_ubyte * 64)]


class Runtime(Library):
    def __init__(self):
        super().__init__(*RUNTIMES)

    def allocate(self, count):
        address = ctypes.c_void_p()
        self.cudaMalloc(ctypes.byref(address), count)
        return address.value

    def free(self, address):
        self.cudaFree(address)

    def write(self, address, data):
        self.cudaMemcpy(address, data, len(data), TO_DEVICE)
        self.cudaDeviceSynchronize()

    def read(self, address, count):
        data = ctypes.create_string_buffer(count)
        self.cudaMemcpy(data, address, count, TO_HOST)
        return data.raw

    def export(self, address):
        handle = Handle()
        self.cudaIpcGetMemHandle(ctypes.byref(handle), address)
        return bytes(handle.bytes)

    def open(self, data):
        address = ctypes.c_void_p()
        self.cudaIpcOpenMemHandle(ctypes.byref(address), Handle.from_buffer_copy(data), LAZY_PEER_ACCESS)
        return address.value

    def close(self, address):
        self.cudaIpcCloseMemHandle(address)

    def devices(self):
        count = ctypes.c_int()
        self.cudaGetDeviceCount(ctypes.byref(count))
        return count.value


class Driver(Library):
    def __init__(self):
        super().__init__("libcuda.so.1")

    def devices(self):
        count = ctypes.c_int()
        self.cuDeviceGetCount(ctypes.byref(count))
        return count.value

    def use(self, ordinal=0):
        """Initialises it and makes the device's primary context the thread's."""
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.cuInit(0)
        self.cuDeviceGet(ctypes.byref(device), ordinal)
        self.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        self.cuCtxSetCurrent(context)


def result_of(call, *arguments):
    """CUDA's answer as a number: 0 when it did what it should."""
    try:
        call(*arguments)
    except Refused as refused:
        return refused.code
    return 0
