/*
 * Reads core files: libFuzzer's entry for all that looks into a process of one. An input is a core file. Neighbours:
 * replay.c, ../lib/cores.py shortens cores.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/core/core.h"
#include "../../tools/proc/calls.h"
#include "../../tools/proc/proc.h"
#include "../../tools/proc/procmaps.h"
#include "../../tools/proc/stacks/stack_copy.h"
#include "../../tools/symbols/pyview.h"
#include "../../tools/waits/outside.h"
#include "fuzz.h"

static void look_at_thread(uint32_t tid, void *context)
{
	uint32_t pid = *(const uint32_t *)context;
	struct proc_call call = proc_call(pid, tid, NULL);
	uint64_t descriptor = outside_descriptor(pid, tid), word[4];
	struct pyview *view = pyview_open((pid_t)pid);
	struct proc_mapping mapping;
	char text[4096];

	proc_stat(pid, tid);
	proc_peek(pid, call.arg[0], word, sizeof(word));
	proc_mapping(pid, call.pc, &mapping);
	free(stack_copy(pid, tid, &call, true));
	free(call_text(pid, tid, &call));
	if (view && !pyview_limit(view)) {
		pyview_stack(view, descriptor, text, sizeof(text));
		pyview_gil_holder(view);
	}
	free(view);
}

static void look_at_process(uint32_t pid, void *context)
{
	struct procmaps maps = {0};

	(void)context;
	proc_threads(pid, look_at_thread, &pid);
	procmaps_read(&maps, pid);
	procmaps_free(&maps);
	proc_handlers(pid);
	proc_lives(pid);
}

static void count_limit(const char *what, void *context)
{
	*(size_t *)context += strlen(what);
}

static void look(struct core *core)
{
	size_t said = 0;
	uint32_t tid;

	core_use(&core, 1);
	proc_each(look_at_process, NULL);
	core_each_limit(core, count_limit, &said);
	core_signal(core, &tid);
	core_use(NULL, 0);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	return change_words_or_all(data, size, room, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("core", MFD_CLOEXEC);
	struct core *core = NULL;
	char path[32], *wrong;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	wrong = core_open(&core, path, NULL);
	if (core)
		look(core);
	free(wrong);
	core_close(core);
	close(fd);
	return 0;
}
