/* SPDX-License-Identifier: Apache-2.0 */
/* Records why a process is about to end itself by SIGABRT. */
#include "aborts.h"

#include <signal.h>

#include "../common/rust_panic.h"
#include "../intercept/elf.h"
#include "../intercept/sys.h"
#include "../locks/cxx_caught.h"
#include "../python/python.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "../record/thread.h"

#define RECORDED \
	16u /* in one process: after an abort that it handles it may go on to the next one */
#define NAME_BYTES 128u
#define TEXT_BYTES 256u
#define PANIC_BYTES 384u /* of a message, which has more of them with a backtrace */

static uint32_t count;

/* The newest panic, which Rust may have been told to abort after: its thread, and where in the log its text is. */
static uint64_t panicked;
#define TEXT_BITS 42 /* a TID has no more than the others */

static bool may_record(void)
{
	return life.attached && !hook_off && python_told() != CPYTHON_TELL_NOTHING &&
	       !life_is_guest() && __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) < RECORDED;
}

/* Whether the process may survive an abort. */
static bool handles_abort(void)
{
	uint64_t action[4] = {0}; /* the kernel's, which begins with the handler */

	SYS4(SYS_rt_sigaction, SIGABRT, NULL, action, sizeof(*action));
	return action[0] > (uint64_t)(uintptr_t)SIG_IGN;
}

static void record(enum mpsan_exception_where where, const char *type, uint64_t text,
		   uint64_t caller)
{
	EMIT(exception, .where = where, .type = *type ? log_text(type) : 0, .text = text,
	     .python = stack_python(0), .caller = caller, .stack = stack_own(),
	     .handled = handles_abort());
}

/* Appends a string of the program's, which is not trusted. */
static char *put_string(char *to, char *end, const char *string)
{
	char piece[NAME_BYTES];
	long got = sys_peek_own(piece, string, sizeof(piece) - 1);

	piece[got > 0 ? got : 0] = '\0';
	return text_put(to, end, piece);
}

/* "Assertion `n > 0' failed at f (a.c:12)". */
static void put_assertion(char *to, char *end, const struct failed_assertion *failed)
{
	char file[TEXT_BYTES];
	long got = sys_peek_own(file, failed->file, sizeof(file) - 1);

	file[got > 0 ? got : 0] = '\0';
	to = text_put(to, end, "Assertion `");
	to = put_string(to, end, failed->expression);
	to = text_put(to, end, "' failed at ");
	to = put_string(to, end, failed->function);
	to = text_put(to, end, failed->function ? " (" : "(");
	to = text_put(to, end, text_tail(file));
	to = text_put(to, end, ":");
	to = text_put_number(to, end, failed->line, 10);
	text_put(to, end, ")");
}

void aborts_assertion(const struct failed_assertion *failed, uint64_t caller)
{
	char text[2 * TEXT_BYTES];

	GUARDED {
		if (may_record()) {
			put_assertion(text, text + sizeof(text), failed);
			record(MPSAN_WHERE_ABORT, "", log_text(text), caller);
		}
	}
}

/* What the runtime of C++ knows of the calling thread. */
static enum mpsan_exception_where ask_runtime(uint64_t caller, struct cxx_exception *exception)
{
	struct cxx_runtime runtime;
	uint64_t terminate, bytes = 0;
	bool by_runtime;

	*exception = (struct cxx_exception){0};
	if (!cxx_runtime_find(caller, &runtime))
		return MPSAN_WHERE_ABORT;
	by_runtime = caller >= runtime.object.base && caller < runtime.object.end;
	if (!by_runtime && !stack_returns_to(runtime.object.text_start, runtime.object.text_end))
		return MPSAN_WHERE_ABORT;
	if (cxx_caught(&runtime, exception))
		return by_runtime ? MPSAN_WHERE_TERMINATE : MPSAN_WHERE_ABORT;
	terminate = (uint64_t)(uintptr_t)elf_find_sized(runtime.in, "_ZSt9terminatev", &bytes);
	return terminate && stack_returns_to(terminate + 1, terminate + bytes + 1) ?
		       MPSAN_WHERE_TERMINATE :
		       MPSAN_WHERE_ABORT;
}

/* That of the calling thread, 0: none. */
static uint64_t own_panic(void)
{
	uint64_t newest = __atomic_load_n(&panicked, __ATOMIC_RELAXED);

	return newest >> TEXT_BITS == thread_tid() ? newest & ((1ull << TEXT_BITS) - 1) : 0;
}

void aborts_called(uint64_t caller)
{
	char type[NAME_BYTES] = "", text[TEXT_BYTES] = "";
	enum mpsan_exception_where where;
	struct cxx_exception exception;
	uint64_t says;

	GUARDED {
		if (may_record()) {
			where = ask_runtime(caller, &exception);
			if (exception.type)
				cxx_exception_type(sys_peek_own, &exception, type, sizeof(type));
			if (exception.type && python_told() == CPYTHON_TELL_ALL)
				cxx_exception_text(sys_peek_own, &exception, text, sizeof(text));
			says = *text ? log_text(text) : *type ? 0 : own_panic();
			record(where, type, says, where == MPSAN_WHERE_ABORT ? caller : 0);
		}
	}
}

static char *put_part(char *to, const char *end, const char *part, size_t length)
{
	while (length-- && to + 1 < end)
		*to++ = *part++;
	*to = '\0';
	return to;
}

/* "a panic at src/main.rs:3 ('index out of bounds')". */
static void put_panic(char *to, char *end, const struct rust_panic *panic)
{
	to = text_put(to, end, "a panic at ");
	to = put_part(to, end, panic->place, panic->place_length);
	if (python_told() != CPYTHON_TELL_ALL || !panic->text_length)
		return;
	to = text_put(to, end, " ('");
	to = put_part(to, end, panic->text, panic->text_length);
	text_put(to, end, "')");
}

void aborts_look(const char *data, size_t bytes)
{
	struct rust_panic panic;
	char text[TEXT_BYTES];
	uint64_t says;

	if (!rust_panic_read(data, bytes < PANIC_BYTES ? bytes : PANIC_BYTES, &panic))
		return;
	GUARDED {
		if (may_record()) {
			put_panic(text, text + sizeof(text), &panic);
			says = log_text(text);
			__atomic_store_n(&panicked, (uint64_t)thread_tid() << TEXT_BITS | says,
					 __ATOMIC_RELAXED);
			record(MPSAN_WHERE_PANIC, "", says, 0);
		}
	}
}
