/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads files that strangers wrote: symbols, debug information, unwind tables. A process of its own does so (serve.h),
 * because elfutils, libunwind and the C++ demangler trust what they read, and files may lie where no answer comes. A file
 * that makes that process crash, wait or compute for seconds is read less deeply from then on, and a limit says so.
 */
#pragma once

#include "../../include/mpsan_log.h"
#include "names.h"
#include "python_symbols.h"

/* As names_find, whose strings belong to the caller. False: nothing is known, not even whether there is such a file. */
bool symbolizer_names(const struct module *module, uint64_t ahead, bool lines, struct names *names);

/* As unwind_stack (unwind/unwind.h), with at most 1024 addresses. */
size_t symbolizer_unwind(const struct modules *modules, const struct mpsan_stack *head,
			 const uint8_t *bytes, uint64_t *pcs, uint8_t *signals, size_t max);

/* Of a path, as seen from here. False: it cannot be opened. */
bool symbolizer_python(const char *path, struct python_symbols *symbols);

/*
 * What is the same for files with the same contents: the build-id, wherever they lie; root and path where it is unknown.
 * The caller frees it.
 */
char *symbolizer_key(const struct module *module);

/* Each file of which something is missing in the answers, and why. */
void symbolizer_each_limit(void (*see)(const char *text, void *context), void *context);

/* Is called, if set, while an answer takes long. */
extern void (*symbolizer_meanwhile)(void);

/* Its process; 0: there is none. */
pid_t symbolizer_pid(void);

/* Ends that process until the next question. What is known of files stays. */
void symbolizer_finish(void);
