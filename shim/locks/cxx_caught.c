/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a runtime of C++ what the calling thread has caught. */
#include "cxx_caught.h"

#include "../intercept/scope.h"
#include "../intercept/sys.h"
#include "../python/python.h"
#include "../record/log.h"

#define TYPE_BYTES 128u
#define TEXT_BYTES 256u

bool cxx_runtime_find(uint64_t caller, struct cxx_runtime *runtime)
{
	struct scope_answer found = scope_find("__cxa_get_globals_fast", caller);

	runtime->list = (uint64_t * (*)(void)) found.real;
	runtime->in = found.in;
	return found.real && elf_describe(found.in, &runtime->object);
}

bool cxx_caught(const struct cxx_runtime *runtime, struct cxx_exception *exception)
{
	return cxx_exception_read(sys_peek_own, *runtime->list(), exception);
}

uint64_t cxx_caught_raised(uint64_t caller)
{
	char type[TYPE_BYTES], says[TEXT_BYTES] = "", text[TYPE_BYTES + TEXT_BYTES + 16],
			       *end = text + sizeof(text), *at;
	struct cxx_exception exception;
	struct cxx_runtime runtime;

	if (python_told() == CPYTHON_TELL_NOTHING || !cxx_runtime_find(caller, &runtime) ||
	    !cxx_caught(&runtime, &exception) ||
	    !cxx_exception_type(sys_peek_own, &exception, type, sizeof(type)))
		return 0;
	if (python_told() == CPYTHON_TELL_ALL)
		cxx_exception_text(sys_peek_own, &exception, says, sizeof(says));
	at = text_put(text, end, "handles\t");
	at = text_put(at, end, type);
	at = text_put(at, end, "\t");
	at = text_put(at, end, says);
	text_put(at, end, "\n");
	return log_text(text);
}
