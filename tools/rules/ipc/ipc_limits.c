/*
 * ipc-limits: what PyTorch's allocator keeps for its consumers has ends. Past so many interprocess
 * events each send waits for its stream; past so many blocks that nobody has opened yet, memory only
 * grows. Said once, when the process gets there.
 */
#include "../rule.h"

static MESSAGE msg_events = {
	"process {pid} has made {count} events for other processes, the last at {at}: PyTorch makes no "
	"more, and each send waits for its stream from then on",
	{{STEP_CUDA, "{thread} of process {pid} made event number {count}"}},
};

static MESSAGE msg_waiting = {
	"process {pid} has {count} exported pieces of memory that nobody has opened, the last from {at}: "
	"its consumers do not keep up",
	{{STEP_CUDA, "{thread} of process {pid} exported piece number {count}"}},
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
