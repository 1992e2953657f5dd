/* SPDX-License-Identifier: Apache-2.0 */
/* Climbs from a process to the top of its job, by process groups, shells and our own ancestors. */
#include "job.h"

#include <string.h>
#include <unistd.h>

#include "../proc/descriptors.h"
#include "../proc/proc.h"
#include "../proc/process/status.h"

/* ---- shells ---- */

static bool is_shell_name(const char *name)
{
	static const char *const names[] = {"sh",   "bash", "dash", "zsh", "ksh",     "mksh",
					    "fish", "csh",  "tcsh", "ash", "busybox", "pwsh"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* The next argument; NULL: it was the last one. */
static const char *next_word(const char *word, const char *end)
{
	const char *next = word + strnlen(word, (size_t)(end - word)) + 1;

	return next < end ? next : NULL;
}

/* Options come first: `-c` has a command, alone or as the last of several letters; `-s` reads the input. */
enum job_shell job_shell_of(const char *argv, size_t bytes)
{
	const char *end = argv + bytes, *word = argv + (bytes && *argv == '-');

	if (!bytes || end[-1] || !is_shell_name(path_base(word)))
		return JOB_NO_SHELL;
	while ((word = next_word(word, end)) && (*word == '-' || *word == '+'))
		if (word[0] == '-' && word[1] != '-' && strchr(word, 'c'))
			return JOB_SCRIPT;
	return word && *word ? JOB_SCRIPT : JOB_BARE_SHELL;
}

static enum job_shell shell_of(uint32_t pid)
{
	char argv[4096];
	size_t length = proc_arguments(pid, argv, sizeof(argv) - 1);

	argv[length] = '\0';
	return job_shell_of(argv, length + (length == sizeof(argv) - 1));
}

/* ---- above a process ---- */

bool job_is_above_us(const struct target *target, uint32_t pid)
{
	const struct target_process *at = target_find(target, (uint32_t)getpid());

	for (unsigned i = 0; at && proc_is_self((uint32_t)getpid()) && i < JOB_DEPTH; i++) {
		if (at->parent == pid)
			return true;
		at = target_find(target, at->parent);
	}
	return false;
}

/* Of one job of a shell, or a copy of its parent, which may have a group of its own. */
static bool is_grouped(const struct target_process *child, const struct target_process *parent)
{
	return getpgid((pid_t)child->pid) == getpgid((pid_t)parent->pid) ||
	       (child->stack && child->stack == parent->stack);
}

/* A shell that runs a script is of the job, but not what started the shell. */
static bool is_of_job(const struct target_process *child, const struct target_process *parent)
{
	enum job_shell shell = is_grouped(child, parent) ? shell_of(parent->pid) : JOB_BARE_SHELL;

	return shell != JOB_BARE_SHELL &&
	       (shell == JOB_SCRIPT || shell_of(child->pid) == JOB_NO_SHELL);
}

/* The only living child of a process; NULL: none, or several. */
static const struct target_process *only_child(const struct target *target, uint32_t pid)
{
	const struct target_process *found = NULL;

	for (uint32_t i = 0; i < target->there.count; i++) {
		if (target->there.item[i].parent != pid || target->there.item[i].ended)
			continue;
		if (found)
			return NULL;
		found = &target->there.item[i];
	}
	return found;
}

/* A process that we descend from itself is looked at with what is above it. */
uint32_t job_root(const struct target *target, uint32_t pid)
{
	bool inside = job_is_above_us(target, pid);
	uint32_t root = pid;

	for (unsigned i = 0; i < JOB_DEPTH; i++) {
		const struct target_process *child = target_find(target, root);
		const struct target_process *parent = child ? target_find(target, child->parent) :
							      NULL;

		if (!parent || proc_is_self(parent->pid) || !is_of_job(child, parent) ||
		    (!inside && job_is_above_us(target, parent->pid)))
			break;
		root = parent->pid;
	}
	/* a script that runs nothing else is not worth showing */
	while (root != pid && shell_of(root) != JOB_NO_SHELL && only_child(target, root))
		root = only_child(target, root)->pid;
	return root;
}

/* ---- our own pipeline ---- */

static bool has_pipe(uint32_t pid, int fd, char pipe[256])
{
	struct descriptor descriptor;

	if (!descriptor_of(pid, fd, &descriptor) || strncmp(descriptor.target, "pipe:", 5) != 0)
		return false;
	strcpy(pipe, descriptor.target);
	return true;
}

/* Whether what one process writes the other one reads, through a pipe from standard output or error. */
static bool feeds(uint32_t writer, uint32_t reader)
{
	char in[256], out[256];

	return has_pipe(reader, STDIN_FILENO, in) &&
	       ((has_pipe(writer, STDOUT_FILENO, out) && !strcmp(in, out)) ||
		(has_pipe(writer, STDERR_FILENO, out) && !strcmp(in, out)));
}

/* Whether a sibling is of the same pipeline, directly or by others. */
static bool is_piped(const struct target *target, uint32_t pid, uint32_t other, unsigned depth)
{
	const struct target_process *from = target_find(target, pid);

	if (feeds(pid, other) || feeds(other, pid))
		return true;
	for (uint32_t i = 0; from && depth && i < target->there.count; i++) {
		const struct target_process *next = &target->there.item[i];

		if (next->parent == from->parent && next->pid != pid && next->pid != other &&
		    feeds(pid, next->pid) && is_piped(target, next->pid, other, depth - 1))
			return true;
	}
	return false;
}

static bool names_us(uint32_t pid)
{
	char text[4096];

	return memmem(text, proc_arguments(pid, text, sizeof(text)), "mpsan", 5);
}

#define PIPELINE 8u

bool job_serves_us(const struct target *target, const struct target_process *process)
{
	const struct target_process *at = target_find(target, (uint32_t)getpid());

	if (!proc_is_self((uint32_t)getpid()))
		return false;
	for (unsigned i = 0; at && i < JOB_DEPTH; i++) {
		if (at->pid == process->pid)
			return proc_is_self(at->pid) || names_us(at->pid);
		if (at->parent == process->parent)
			return is_piped(target, at->pid, process->pid, PIPELINE);
		at = target_find(target, at->parent);
	}
	return false;
}
