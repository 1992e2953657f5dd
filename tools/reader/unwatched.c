/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether a process was watched, and if not, why: from its slot and its exec. */
#include "unwatched.h"

#include <string.h>

#include "../../shim/common/no_log.h"

#define LOADING_NS 500000000ull

static char *off_text(uint16_t why)
{
	static const char *const text[] = {
		[MPSAN_OFF_NOT] = "switched off",
		[MPSAN_OFF_RESOLVE] = "switched off: a function of the C library was not found",
		[MPSAN_OFF_TABLE_FULL] = "switched off: the session's process table is full",
		[MPSAN_OFF_CONFUSED] = "switched off: an internal check failed",
		[MPSAN_OFF_SECCOMP] =
			"switched off: the process restricted its system calls (seccomp)",
	};
	const char *known = why < sizeof(text) / sizeof(*text) ? text[why] : NULL;

	if (no_log_text(why))
		return text_format("switched off: %s", no_log_text(why));
	return text_copy(known ? known : "switched off");
}

/* A program that had just started when the session ended may not have loaded the library yet. */
static bool is_starting(const struct reader *reader, const struct mpsan_process *process)
{
	return !process->end_ns && process->exec_ns + LOADING_NS > reader->now_ns;
}

/* What its exec revealed, with the cure; NULL: nothing. */
static const char *unreached_text(uint16_t why)
{
	static const char *const text[] = {
		[MPSAN_OFF_ENVIRONMENT] =
			"it was given an environment without LD_PRELOAD (env -i, subprocess with env=…); "
			"pass on LD_PRELOAD, MPSAN_DIR and MPSAN_OPTIONS",
		[MPSAN_OFF_PRELOAD] =
			"its LD_PRELOAD was set to other libraries; put libmpsan.so first",
		[MPSAN_OFF_SESSION] =
			"it was given LD_PRELOAD without MPSAN_DIR, so it created its own session; pass "
			"on MPSAN_DIR and MPSAN_OPTIONS, too",
		[MPSAN_OFF_LIBRARY] =
			"libmpsan.so does not exist in its root (chroot, container, mount namespace); make "
			"it visible there under the same path",
		[MPSAN_OFF_DIRECTORY] =
			"the session directory does not exist in its root (chroot, container, mount "
			"namespace); make it visible there under the same path",
		[MPSAN_OFF_USER] =
			"it runs as another user, who cannot write to the session directory; start mpsan "
			"as that user: setpriv … mpsan run -- COMMAND",
		[MPSAN_OFF_STATIC] =
			"it is statically linked (as most Go programs are); link it dynamically",
		[MPSAN_OFF_MACHINE] =
			"it is built for another machine or word size; use a build for this one",
		[MPSAN_OFF_MUSL] = "it uses musl; only glibc programs can be watched",
		[MPSAN_OFF_SETUID] =
			"it is set-user-ID or set-group-ID, so the loader ignores LD_PRELOAD, and may "
			"remove it from its children's environment; start mpsan behind it: sudo mpsan run -- COMMAND",
		[MPSAN_OFF_CAPABILITIES] =
			"its file has capabilities, so the loader ignores LD_PRELOAD; run a copy without "
			"them",
	};

	return why < sizeof(text) / sizeof(*text) ? text[why] : NULL;
}

/* No record was written by the image that it should become. */
static bool is_unheard(const struct reader *reader, const struct mpsan_process *process)
{
	if (process->how == MPSAN_HOW_POSIX_SPAWN && !process->attach_ns && !process->exec_ns)
		return process->end_ns || process->birth_ns + LOADING_NS <= reader->now_ns;
	return process->exec_ns && process->attach_ns < process->exec_ns &&
	       !is_starting(reader, process);
}

char *process_unwatched(const struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *process = &reader->session.table[slot];
	size_t tail = strnlen(process->exec_path, sizeof(process->exec_path));
	const char *seen = unreached_text(process->why_off);

	if (process->flags & MPSAN_PROCESS_OFF)
		return off_text(process->why_off);
	if (process->flags & MPSAN_PROCESS_REPLACED || process->why_off == MPSAN_OFF_FAILED ||
	    !is_unheard(reader, process))
		return NULL;
	return text_format("its program %s%.*s did not load the library: %s",
			   tail == sizeof(process->exec_path) ? "…" : "", (int)tail,
			   process->exec_path, seen ? seen : "for an unknown reason");
}
