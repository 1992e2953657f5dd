/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which right is missing, from what /proc shows of us and of the process: see rights.h. */
#include "rights.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/util.h"
#include "../proc/hidepid_option.h"
#include "../proc/proc.h"
#include "../proc/process/status.h"
#include "../proc/procfs.h"
#include "../reader/hidepid.h"

/* From linux/capability.h. */
#define TRACES (1ull << 19) /* CAP_SYS_PTRACE */
#define READS_ALL (1ull << 1 | 1ull << 2) /* CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH */
#define NOBODY UINT32_MAX
#define PIDS_NAMED 8u

static uint32_t user_of(uint32_t pid)
{
	uint64_t uid;

	return proc_status_number(pid, 0, "Uid", 10, &uid) ? (uint32_t)uid : NOBODY;
}

static bool is_capable(uint64_t any_of)
{
	uint64_t effective;

	return proc_status_number((uint32_t)getpid(), 0, "CapEff", 16, &effective) &&
	       effective & any_of;
}

static char *user_text(uint32_t uid)
{
	const struct passwd *user = getpwuid(uid);

	return user ? text_format("%s (uid %u)", user->pw_name, uid) : text_format("uid %u", uid);
}

/* The kernel gives the files of a process that is not dumpable to root. */
static bool owns_files(uint32_t uid, uint32_t pid)
{
	char path[32];
	struct stat st;

	procfs_path(path, sizeof(path), "%u/stat", pid);
	return stat(path, &st) || st.st_uid == uid;
}

static char *missing_to_user(uint32_t pid)
{
	uint32_t uid = user_of(pid);
	unsigned yama = proc_yama();
	char *user, *text;

	if (uid != geteuid()) {
		user = user_text(uid);
		text = text_format(
			"it belongs to %s: do it as that user%s, or as root (sudo)", user,
			yama ? " with kernel.yama.ptrace_scope=0 or CAP_SYS_PTRACE" : "");
		free(user);
		return text;
	}
	if (!owns_files(uid, pid))
		return text_copy("it is not dumpable (prctl PR_SET_DUMPABLE, set-user-ID, file "
				 "capabilities): do it as root (sudo)");
	if (yama == 1)
		return text_copy(
			"kernel.yama.ptrace_scope=1 allows it to ancestors only: sysctl -w "
			"kernel.yama.ptrace_scope=0, or do it as root (sudo)");
	if (yama == 2)
		return text_copy(
			"kernel.yama.ptrace_scope=2 needs CAP_SYS_PTRACE: do it as root (sudo)");
	return text_copy("the kernel, or a security module, refuses it: do it as root (sudo)");
}

char *rights_missing(uint32_t pid)
{
	if (proc_yama() >= 3)
		return text_copy(
			"kernel.yama.ptrace_scope=3 forbids it to everybody until the next boot");
	if (is_capable(TRACES) && !is_capable(READS_ALL) && !owns_files(geteuid(), pid))
		return text_copy(
			"CAP_DAC_READ_SEARCH is missing beside CAP_SYS_PTRACE: only the owner may "
			"read its files in /proc");
	if (is_capable(TRACES))
		return text_copy(
			"it is refused although mpsan has CAP_SYS_PTRACE: by a security module (AppArmor, "
			"SELinux), by seccomp, or because the process is in a user namespace above this one");
	if (!geteuid())
		return text_copy(
			"CAP_SYS_PTRACE is missing, as in most containers: docker run --cap-add "
			"SYS_PTRACE, kubectl debug --profile=sysadmin, or run mpsan on the host, "
			"as root");
	return missing_to_user(pid);
}

struct counted {
	uint32_t pid, threads, asleep, disk, stopped, running;
};

static void rights_count(uint32_t tid, void *context)
{
	struct counted *counted = context;
	char state = proc_stat(counted->pid, tid).state;

	counted->threads += state != '\0';
	counted->asleep += state == 'S' || state == 'I';
	counted->disk += state == 'D';
	counted->stopped += proc_state_is_stopped(state);
	counted->running += state == 'R';
}

static char *add_count(char *text, uint32_t count, const char *what)
{
	char *longer = count ? text_format("%s, %u %s", text, count, what) : text;

	if (longer != text)
		free(text);
	return longer;
}

char *rights_seen(uint32_t pid)
{
	struct counted counted = {.pid = pid};
	char name[PROC_COMMAND_BYTES], *text;

	proc_command(pid, name);
	if (!proc_threads(pid, rights_count, &counted))
		return text_copy("seen without it: nothing");
	text = text_format("seen without it: %s, %u thread%s", name, counted.threads,
			   counted.threads == 1 ? "" : "s");
	text = add_count(text, counted.asleep, "asleep");
	text = add_count(text, counted.disk,
			 "in uninterruptible sleep (disk, file server, driver)");
	text = add_count(text, counted.stopped, "stopped by a signal or a debugger");
	return add_count(text, counted.running, "running");
}

static char *absent_text(uint32_t number)
{
	struct proc_stat stat = proc_stat(number, number);

	if (stat.state && proc_stat_ended(&stat))
		return text_format(
			"process %u has ended, and its parent %u has not reaped it (a zombie)",
			number, stat.parent);
	if (!stat.state && proc_lives(number) && hidepid_possible())
		return text_format(
			"process %u is hidden: /proc is mounted with hidepid; " HIDDEN_CURE,
			number);
	return text_format("there is no process %u", number);
}

uint32_t rights_process(uint32_t number, char **wrong)
{
	struct proc_stat stat;
	uint64_t process;

	*wrong = NULL;
	if (!proc_status_number(number, 0, "Tgid", 10, &process) || !process)
		process = number;
	stat = proc_stat((uint32_t)process, (uint32_t)process);
	if (process == (uint64_t)getpid())
		*wrong = text_format("process %u is mpsan itself", number);
	else if (stat.kernel)
		*wrong = text_format("process %u is a thread of the kernel", number);
	else if (!stat.state || proc_stat_ended(&stat))
		*wrong = absent_text((uint32_t)process);
	return *wrong ? 0 : (uint32_t)process;
}

/* ---- a tree of which only a part may be examined ---- */

static bool is_hidden(const struct target_process *process)
{
	struct proc_stat stat = proc_stat(process->pid, process->pid);

	return process->member && process->hidden && stat.state && !proc_stat_ended(&stat);
}

/* Those from `first` on that lack the same as it does; which they are, in `told`. */
static char *alike_text(const struct target *target, uint32_t first, const char *missing,
			bool *told)
{
	char *pids = text_copy(""), *text;
	uint32_t count = 0;

	for (uint32_t i = first; i < target->there.count; i++) {
		const struct target_process *process = &target->there.item[i];
		AUTO_FREE char *its = is_hidden(process) ? rights_missing(process->pid) : NULL;

		if (its && !strcmp(its, missing)) {
			told[i] = true;
			if (count++ < PIDS_NAMED) {
				text = text_format("%s%s%u", pids, *pids ? ", " : "", process->pid);
				free(pids);
				pids = text;
			}
		}
	}
	text = text_format("process%s %s%s may not be examined: %s", count > 1 ? "es" : "", pids,
			   count > PIDS_NAMED ? " …" : "", missing);
	free(pids);
	return text;
}

void rights_each_limit(const struct target *target, void (*say)(const char *text, void *context),
		       void *context)
{
	AUTO_FREE bool *told = memory_get(target->there.count * sizeof(*told) + 1);

	for (uint32_t i = 0; i < target->there.count; i++) {
		AUTO_FREE char *missing = NULL, *text = NULL;

		if (told[i] || !is_hidden(&target->there.item[i]))
			continue;
		missing = rights_missing(target->there.item[i].pid);
		text = alike_text(target, i, missing, told);
		say(text, context);
	}
}
