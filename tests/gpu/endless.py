"""Waits for a kernel that ends when the standard input does: `endless.py HOW`, where HOW is a key of WAITS."""

import ctypes
import sys
import threading

from cuda_calls import Driver

# Loads a word of the host's memory until it is not 0.
KERNEL = b"""
.version 6.3
.target sm_75
.address_size 64
.visible .entry wait_for(.param .u64 flag)
{
	.reg .u64 %at;
	.reg .u32 %word;
	.reg .pred %zero;
	ld.param.u64 %at, [flag];
again:
	ld.volatile.global.u32 %word, [%at];
	setp.eq.u32 %zero, %word, 0;
	@%zero bra again;
	ret;
}
"""
FOR_DEVICE = 2  # CU_MEMHOSTALLOC_DEVICEMAP
BLOCKING = 1  # CU_EVENT_BLOCKING_SYNC


def wait_for_event(driver):
    event = ctypes.c_void_p()
    driver.cuEventCreate(ctypes.byref(event), BLOCKING)
    driver.cuEventRecord(event, None)
    driver.cuEventSynchronize(event)


def wait_for_copy(driver):
    piece = ctypes.c_uint64()
    driver.cuMemAlloc_v2(ctypes.byref(piece), 4096)
    driver.cuMemcpyDtoH_v2(ctypes.create_string_buffer(4096), piece, 4096)


WAITS = {"stream": lambda driver: driver.cuStreamSynchronize(None), "context": lambda driver: driver.cuCtxSynchronize(),
         "event": wait_for_event, "copy": wait_for_copy}


def flag_of(driver):
    """A word that the host and the device share: its address here, and there."""
    here, there = ctypes.c_void_p(), ctypes.c_uint64()
    driver.cuMemHostAlloc(ctypes.byref(here), 4096, FOR_DEVICE)
    driver.cuMemHostGetDevicePointer_v2(ctypes.byref(there), here, 0)
    return ctypes.c_uint32.from_address(here.value), there


def launch(driver, argument):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    driver.cuModuleLoadData(ctypes.byref(module), KERNEL)
    driver.cuModuleGetFunction(ctypes.byref(function), module, b"wait_for")
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None)


def main(wait):
    driver = Driver()
    driver.use()
    flag, argument = flag_of(driver)
    flag.value = 0

    def end():
        sys.stdin.read()
        flag.value = 1

    threading.Thread(target=end).start()
    launch(driver, argument)
    print("launched", flush=True)
    wait(driver)


main(WAITS[sys.argv[1]])
