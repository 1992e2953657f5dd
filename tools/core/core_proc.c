/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the processes of core files as /proc shows living ones. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../facts/facts.h"
#include "../proc/files/user.h"
#include "../proc/proc.h"
#include "../proc/procfs.h"
#include "core_parts.h"

static struct core *const *used;
static uint32_t used_count;

static const struct core *core_of(uint32_t pid)
{
	for (uint32_t i = 0; i < used_count; i++)
		if (used[i]->pid == pid)
			return used[i];
	return NULL;
}

static const struct core_thread *thread_of(const struct core *core, uint32_t tid)
{
	for (uint32_t i = 0; i < core->threads.count; i++)
		if (core->threads.item[i].tid == tid)
			return &core->threads.item[i];
	return NULL;
}

/* ---- registers ---- */

/* What the kernel leaves in a call that was interrupted to stop the thread (include/linux/errno.h). */
static bool is_interrupted(int64_t result)
{
	return result == -EINTR || (result <= -512 && result >= -516 && result != -515);
}

/*
 * The system call in which the thread waits; -1: none. One that is renewed after an interruption has the
 * number of restart_syscall: the instruction before it says which one it was, mov $NUMBER, %eax.
 */
static long call_of(const struct core *core, const struct core_thread *thread)
{
	const struct core_registers *regs = &thread->regs;
	long number = regs->call;
	uint8_t code[7]; /* with the call itself */
	int32_t renewed;

	if (number < 0 || number > INT32_MAX || !is_interrupted(regs->result))
		return -1;
	if (number != SYS_restart_syscall)
		return number;
	if (core_read(core, regs->code - sizeof(code), code, sizeof(code)) != sizeof(code) ||
	    code[0] != 0xb8)
		return -1;
	memcpy(&renewed, code + 1, sizeof(renewed));
	return renewed;
}

/* ---- arguments ---- */

#define STACK_MAX (1u << 20) /* from the count of arguments to the auxiliary vector, at most */

/*
 * The words that exec put on the stack, up to the auxiliary vector: a count, so many addresses of
 * arguments, 0, those of variables, 0. `word` gets their end. False: they are not there.
 */
static bool read_start(const struct core *core, uint64_t *words, size_t count, size_t *end)
{
	uint64_t begin = (core->random & ~7ull) - 8 * count;

	if (core->random < 8 * count ||
	    core_read_dumped(core, begin, words, 8 * count) != 8 * count)
		return false;
	for (size_t i = count - sizeof(core->auxiliary) / 8; i > 2; i--)
		if (!memcmp(words + i, core->auxiliary, sizeof(core->auxiliary)) && !words[i - 1]) {
			*end = i - 1;
			return true;
		}
	return false;
}

/* Where the arguments begin among those words, by the count before them; 0: nowhere. */
static size_t find_arguments(const uint64_t *words, size_t end)
{
	size_t at = end;

	while (at > 0 && words[at - 1])
		at--;
	if (!at)
		return 0;
	for (size_t count = 0, i = at - 1; i > 0; count++, i--)
		if (words[i - 1] == count)
			return i;
	return 0;
}

static size_t copy_arguments(const struct core *core, const uint64_t *words, char *text,
			     size_t bytes)
{
	size_t done = 0, got;
	const char *end;

	for (; *words && done < bytes; words++) {
		got = core_read_dumped(core, *words, text + done, bytes - done);
		end = memchr(text + done, '\0', got);
		if (!end)
			break;
		done = (size_t)(end + 1 - text);
	}
	return done;
}

/* The first 80 bytes, with spaces for NULs, in which gcore has only the name. */
static size_t kept_arguments(const struct core *core, char *text, size_t bytes)
{
	size_t length = strnlen(core->args, sizeof(core->args) - 1);

	while (length && core->args[length - 1] == ' ')
		length--;
	if (!length || length >= bytes)
		return 0;
	for (size_t i = 0; i < length; i++)
		text[i] = core->args[i] == ' ' ? '\0' : core->args[i];
	text[length] = '\0';
	return length + 1;
}

static size_t core_arguments(const struct core *core, char *text, size_t bytes)
{
	const struct core_segment *stack = core_segment_at(core, core->random);
	uint64_t below = stack ? core->random - stack->start : 0;
	size_t count = (below < STACK_MAX ? below : STACK_MAX) / 8, end, begin, done = 0;
	AUTO_FREE uint64_t *words = memory_get(8 * count + 8);

	if (count > sizeof(core->auxiliary) / 8 && read_start(core, words, count, &end) &&
	    (begin = find_arguments(words, end)))
		done = copy_arguments(core, words + begin, text, bytes);
	return done ? done : kept_arguments(core, text, bytes);
}

/* ---- files ---- */

__attribute__((format(printf, 1, 2))) static int text_file(const char *format, ...)
{
	int fd = memfd_create("mpsan-core", MFD_CLOEXEC);
	va_list words;

	if (fd < 0)
		return -1;
	va_start(words, format);
	vdprintf(fd, format, words);
	va_end(words);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static int bytes_file(const char *bytes, size_t count)
{
	int fd = text_file("%s", "");
	size_t done = 0;
	ssize_t wrote = 1;

	while (fd >= 0 && done < count && wrote > 0) {
		wrote = write(fd, bytes + done, count - done);
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* When it began is not known: PIDs say which processes and threads are older. */
static int stat_file(const struct core *core, uint32_t tid, const struct core_thread *thread)
{
	char state = !thread && !core->numbers_unknown	 ? 'Z' :
		     thread && call_of(core, thread) < 0 ? 'R' :
							   'S';
	bool has_main = thread_of(core, core->pid);
	uint32_t parent = core_of(core->parent) ? core->parent : 0;

	if (!thread && tid != core->pid && !core->numbers_unknown)
		return -1;
	return text_file("%u (%s) %c %u 0 0 0 0 %u 0 0 0 0 0 0 0 0 0 0 %u 0 0 0 0 0 0 0 %llu\n",
			 tid, core->name, state, parent, core->flags & PROC_FLAG_FORKED,
			 core->threads.count + !has_main, (unsigned long long)core->random);
}

static int syscall_file(const struct core *core, const struct core_thread *thread)
{
	const struct core_registers *regs = &thread->regs;
	const uint64_t *a = regs->argument;
	long number = call_of(core, thread);

	if (number < 0)
		return text_file("running\n");
	return text_file("%ld 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64
			 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 "\n",
			 number, a[0], a[1], a[2], a[3], a[4], a[5], regs->stack, regs->code);
}

static int arguments_file(const struct core *core)
{
	char text[4096];

	return bytes_file(text, core_arguments(core, text, sizeof(text)));
}

static int thread_file(const struct core *core, uint32_t tid, const char *name)
{
	const struct core_thread *thread = thread_of(core, tid);

	if (!strcmp(name, "maps"))
		return bytes_file(core->maps, core->maps_bytes);
	if (!strcmp(name, "stat"))
		return stat_file(core, tid, thread);
	if (!thread)
		return -1;
	if (!strcmp(name, "syscall"))
		return syscall_file(core, thread);
	if (!strcmp(name, "schedstat"))
		return text_file("0 0 1\n");
	if (!strcmp(name, "comm"))
		return text_file("%s\n", core->name);
	if (!strcmp(name, "status"))
		/* a name may contain line breaks: it comes last */
		return text_file("Pid:\t%u\nUid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\nGroups:\t\n"
				 "SigBlk:\t%016llx\nName:\t%s\n",
				 tid, core->uid, core->uid, core->uid, core->uid, PROC_NOBODY,
				 PROC_NOBODY, PROC_NOBODY, PROC_NOBODY,
				 (unsigned long long)thread->blocked, core->name);
	return -1;
}

/* "PID/NAME" or "PID/task/TID/NAME" */
static int open_of_core(const char *name)
{
	uint32_t pid, tid;
	int at = 0;
	const struct core *core;

	if (sscanf(name, "%u/%n", &pid, &at) != 1 || !at || !(core = core_of(pid)))
		return -1;
	name += at;
	at = 0;
	if (sscanf(name, "task/%u/%n", &tid, &at) == 1 && at)
		return thread_file(core, tid, name + at);
	if (!strcmp(name, "cmdline"))
		return arguments_file(core);
	return thread_file(core, thread_of(core, pid) ? pid : core->threads.item[0].tid, name);
}

static bool link_of_core(const char *name, char *target, size_t bytes)
{
	const struct core *core;
	uint32_t pid;
	int at = 0;

	*target = '\0';
	if (sscanf(name, "%u/exe%n", &pid, &at) != 1 || !at || !(core = core_of(pid)) ||
	    core->program == FACT_NONE)
		return false;
	snprintf(target, bytes, "%s", core->modules.item[core->program].at.path);
	return true;
}

static bool list_of_core(const char *name, void (*see)(uint32_t, void *), void *context)
{
	const struct core *core;
	uint32_t pid;
	int at = 0;

	if (!strcmp(name, "."))
		for (uint32_t i = 0; i < used_count; i++)
			see(used[i]->pid, context);
	if (!strcmp(name, "."))
		return true;
	if (sscanf(name, "%u/task%n", &pid, &at) != 1 || !at || name[at] || !(core = core_of(pid)))
		return false;
	for (uint32_t i = 0; i < core->threads.count; i++)
		see(core->threads.item[i].tid, context);
	return true;
}

/* Threads may name memory by their own numbers, as in /proc/TID/mem. */
static long memory_of_core(uint32_t pid, uint64_t from, void *to, size_t bytes)
{
	const struct core *core = core_of(pid);
	size_t got = 0;

	for (uint32_t i = 0; i < used_count && !core; i++)
		core = thread_of(used[i], pid) ? used[i] : NULL;
	if (core)
		got = core_read(core, from, to, bytes);
	errno = core ? EFAULT : ESRCH;
	return got ? (long)got : -1;
}

static uint64_t pointer_of_core(uint32_t pid, uint32_t tid)
{
	const struct core *core = core_of(pid);
	const struct core_thread *thread = core ? thread_of(core, tid) : NULL;

	return thread ? thread->regs.pointer : 0;
}

void core_use(struct core *const *cores, uint32_t count)
{
	static const struct procfs_source source = {open_of_core, link_of_core, list_of_core,
						    memory_of_core, pointer_of_core};

	used = cores;
	used_count = count;
	procfs_use(count ? &source : NULL);
}
