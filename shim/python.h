/*
 * Python frames of a thread, read from inside the process as plain memory: no allocation, no lock,
 * no reference count, no Python code run (facts 2.2). CPython 3.8 to 3.13 with a GIL. Uses sys_peek
 * for every pointer that Python may change, so a wrong answer is possible in theory, a crash is
 * not.
 */
#ifndef MPSAN_PYTHON_H
#define MPSAN_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../include/mpsan_log.h"

/*
 * Looks for CPython among the loaded objects. Call it at rare events: at start and after a dlopen.
 * Walks the loader's list (see elf.h on when that is safe). Once something was found a call costs
 * one atomic load.
 */
void python_look(void);

/* CPython, of any version, is loaded and initialised. One atomic load while there is none. */
bool python_present(void);

/* Py_Version: 0x030b02f0 is 3.11.2; 0: none. Before 3.11 it is assumed to be a final release. */
uint32_t python_version(void);

/* NULL, or why frames cannot be read: constant text. The functions below then find nothing. */
const char *python_limit(void);

/* The calling thread holds the GIL. False in doubt: in a sub-interpreter of 3.8 to 3.11. */
bool python_holds_gil(void);

/*
 * Frames of a thread, innermost first, at most 64, each "function\tfile\tline\n" in UTF-8 (the
 * qualified name from 3.11 on; control characters are '?'; line 0: this code has none). Only whole
 * lines; the text ends with NUL; returns its length. `pthread` is pthread_self() of the thread; 0,
 * or the caller's own, works without the GIL; another thread is found only while the caller holds
 * the GIL, in the caller's interpreter.
 */
size_t python_stack(uint64_t pthread, char *text, size_t bytes) __attribute__((nonnull));

/* The name of a thread that threading started; "": not known. Needs what python_stack needs. */
size_t python_thread_name(uint64_t pthread, char *text, size_t bytes) __attribute__((nonnull));

/*
 * What the outermost frames say about a thread. UNKNOWN: no frames, or it has not reached its
 * target yet, so ask again later. Needs what python_stack needs.
 */
enum mpsan_thread_role python_role(uint64_t pthread);

#endif
