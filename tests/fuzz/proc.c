/*
 * Reads the texts of /proc: libFuzzer's entry for what other processes have a hand in: maps, names, arguments, variables. An
 * input is the texts of `names`, in that order, with 0xff between them; it is the process's memory, too. Neighbour: replay.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../shim/common/rank.h"
#include "../../tools/attach/target.h"
#include "../../tools/proc/build_id.h"
#include "../../tools/proc/calls.h"
#include "../../tools/proc/file_locks.h"
#include "../../tools/proc/namespaces.h"
#include "../../tools/proc/proc.h"
#include "../../tools/proc/process/cgroup.h"
#include "../../tools/proc/process/variables.h"
#include "../../tools/proc/procfs.h"
#include "../../tools/proc/procmaps.h"
#include "../../tools/proc/stacks/stack_copy.h"
#include "../../tools/proc/tcp_peers.h"
#include "../../tools/symbols/pyview.h"
#include "../../tools/waits/outside.h"
#include "fuzz.h"

#define PID 4711u
#define END 0xff

static const char *const names[] = {"maps",    "stat",	  "status", "syscall", "schedstat",
				    "cmdline", "comm",	  "wchan",  "timers",  "children",
				    "environ", "net/tcp", "locks",  "cgroup"};

static const uint8_t *input;
static size_t input_size;

/* ---- the process ---- */

static int open_text(const char *name)
{
	const uint8_t *at = input, *end = input + input_size;
	int fd = memfd_create("text", MFD_CLOEXEC);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && at < end; i++) {
		const uint8_t *stop = memchr(at, END, (size_t)(end - at));
		size_t bytes = (size_t)((stop ? stop : end) - at);

		if (strstr(name, names[i]) && write(fd, at, bytes) == (ssize_t)bytes)
			break;
		at = stop ? stop + 1 : end;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static bool read_link(const char *name, char *target, size_t bytes)
{
	snprintf(target, bytes, "%s", name);
	return *target;
}

static bool list_one(const char *name, void (*see)(uint32_t, void *), void *context)
{
	(void)name;
	see(PID, context);
	return true;
}

static long read_memory(uint32_t pid, uint64_t from, void *to, size_t bytes)
{
	size_t skip = from % (input_size + 1), most = input_size - skip;

	(void)pid;
	errno = EFAULT;
	memcpy(to, input + skip, bytes < most ? bytes : most);
	return most ? (long)(bytes < most ? bytes : most) : -1;
}

static uint64_t some_pointer(uint32_t pid, uint32_t tid)
{
	return pid + tid;
}

/* ---- questions ---- */

static void ask_call(const struct proc_call *call)
{
	struct proc_mapping mapping;

	proc_mapping(PID, call->pc, &mapping);
	proc_mapping_lately(PID, call->arg[0], &mapping);
	free(stack_copy(PID, PID, call, true));
	free(call_text(PID, PID, call));
	call_is_on_path(call);
	call_limit_ns(PID, call);
	call_is_outside(PID, call);
}

static void ask_maps(void)
{
	char text[BUILD_ID_TEXT];
	struct procmaps maps = {0};

	proc_maps(PID, 1, 2);
	procmaps_read(&maps, PID);
	procmaps_find(&maps, 4096);
	procmaps_free(&maps);
	build_id_at(PID, 0, text);
	free(pyview_open(PID));
	pyview_finish();
}

static void ask_states(void)
{
	struct proc_time time;
	char name[64];

	proc_runs(PID, PID, NULL, &time);
	proc_living(PID);
	proc_lives(PID);
	proc_handlers(PID);
	proc_has_timer(PID);
	proc_thread_name(PID, PID, name);
	proc_wchan(PID, PID, name, sizeof(name));
	proc_shared_bytes(PID);
	proc_ended(PID);
	proc_leaves(PID);
	namespace_tids(PID, PID);
	free(cgroup_of(PID, "memory"));
	outside_descriptor(PID, PID);
}

static void count(uint32_t pid, void *context)
{
	*(uint32_t *)context += pid;
}

static void ask_kinship(void)
{
	struct target target = {0};
	struct mpsan_host host = {0};
	const struct proc_call call = {.number = SYS_fcntl};
	struct file_lock lock;
	uint32_t sum = 0;
	uint64_t peer;

	proc_children(PID, count, &sum);
	variables_read(PID);
	rank_describe(&host, variables_get);
	variables_finish();
	target_add_named(&target, "a", true);
	target_add(&target, PID, true);
	target_look(&target);
	target_finish(&target);
	file_lock_awaited(PID, &call, 1, &lock);
	tcp_peers_forget();
	tcp_reach(1, 0, &peer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct procfs_source source = {open_text, read_link, list_one, read_memory,
						    some_pointer};
	struct proc_call call;

	input = data;
	input_size = size;
	procfs_use(&source);
	call = proc_call(PID, PID, NULL);
	ask_call(&call);
	ask_maps();
	ask_states();
	ask_kinship();
	procfs_use(NULL);
	return 0;
}
