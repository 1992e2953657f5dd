/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions of C++ in memory, as libstdc++ and libc++abi have them (the Itanium ABI, on 64 bits). They are read by copies, so
 * garbage does no harm, and nothing of the program is called: what() is not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies memory that may not be there: the number of bytes, perhaps fewer than asked for. */
typedef long cxx_peek(void *to, const void *from, size_t bytes);

struct cxx_exception {
	uint64_t type; /* address of its std::type_info */
	uint64_t object;
};

/* Reads what a runtime's list of caught exceptions has at this address; false: none, or not one of C++. */
bool cxx_exception_read(cxx_peek *peek, uint64_t header, struct cxx_exception *exception);

/* Its type, as cxx_type_text writes it; false: it cannot be read. */
bool cxx_exception_type(cxx_peek *peek, const struct cxx_exception *exception, char *text,
			size_t bytes);

/*
 * The first line of its text, where that is known to be: in the standard library's exceptions, torch's, and in
 * strings that were thrown. False: none.
 */
bool cxx_exception_text(cxx_peek *peek, const struct cxx_exception *exception, char *text,
			size_t bytes);

/* Writes a mangled type as in the source: namespaces, classes and a few others; the rest stays mangled. */
void cxx_type_text(const char *mangled, char *text, size_t bytes);
