/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-limits: PyTorch's allocator has limits for what it keeps for consumers. Beyond 1000
 * interprocess events each send waits for its stream; beyond 1000 unopened blocks memory only
 * grows. Reported once, when the process reaches a limit.
 */
#include "../rule.h"

static MESSAGE msg_events = {
	"process {pid} created {count} interprocess events, the last at {at}: PyTorch creates no "
	"more, and each send waits for its stream from now on",
	{{STEP_CUDA, "{thread} of process {pid} created event number {count}"}},
};

static MESSAGE msg_waiting = {
	"process {pid} has {count} exported blocks of memory that no process has opened, the last "
	"from {at}: its consumers do not keep up",
	{{STEP_CUDA, "{thread} of process {pid} exported block number {count}"}},
};

void rule_ipc_limits(const struct facts *facts, const struct trigger *trigger, struct findings *out)
{
	const struct cuda_facts *cuda = &facts->cuda;
	uint32_t index = trigger->index;

	if (trigger->kind == TRIGGER_IPC_EVENT) {
		if (cuda->events[index].ev.made >= CUDA_EVENTS_MAX &&
		    cuda->events[index].before < CUDA_EVENTS_MAX)
			FIND_SHARED(out, ipc_limits, GRADE_NOTE, trigger, 0, 0, &msg_events);
	} else if (cuda->exports[index].waiting == CUDA_WAITING_MAX &&
		   cuda->pieces[cuda->exports[index].piece].by_export == index + 1) {
		FIND_SHARED(out, ipc_limits,
			    cuda->exports[index].ev.flags & MPSAN_IPC_TORCH ? GRADE_WARNING :
									      GRADE_NOTE,
			    trigger, cuda->exports[index].piece + 1, 0, &msg_waiting);
	}
}
