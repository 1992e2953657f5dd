/*
 * An image of a Python process: what the readers of CPython's structures read of one of its threads, captured while it
 * stood still. An input of python.c is a head, then pieces of memory. Neighbours: capture.c makes one of a living
 * process, ask_python.c asks all that the command and the library ask of a thread.
 */
#ifndef ASK_PYTHON_H
#define ASK_PYTHON_H

#include "../../shim/common/cpython/cpython.h"

#define IMAGE_MAGIC 0x656d6970u

/* Little-endian. Pieces are sorted by address and do not overlap. */
struct image_head {
	uint32_t magic;
	uint32_t version; /* as in struct cpython */
	uint64_t symbol[7]; /* addresses of image_symbols */
	uint64_t pthread; /* of the thread */
	uint64_t address; /* of the semaphore, lock or condition that it waits for */
	uint64_t data
		[2]; /* writable memory around the runtime, in which handlers of signals are looked for; or 0 */
};

struct image_piece {
	uint64_t at, bytes; /* multiples of 8 */
};

/* Py_Version, _PyRuntime, PyType_Type, PyCode_Type, PyUnicode_Type, PyBytes_Type, _Py_NoneStruct */
extern const char *const image_symbols[7];

/* Asks everything about that thread of a process whose memory proc_read() finds. */
void ask_python(uint32_t pid, const struct image_head *head);

#endif
