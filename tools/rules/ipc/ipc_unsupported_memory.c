/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-unsupported-memory: memory could not be exported or its descriptor not be taken. Handles of
 * 64 bytes exist for memory of cudaMalloc only; expandable segments and other mapped memory are
 * passed by file descriptor, which the kernel lets only some processes take from each other.
 */
#include "../rule.h"

static MESSAGE msg_kind = {
	"{function} failed with {result} at {at} in process {pid}: {memory} has no such handle",
	{{STEP_CUDA, "{thread} of process {pid} called {function}"}},
};

/* A pool, or memory of cuMemCreate, has a descriptor only if one was requested at its creation. */
static MESSAGE msg_type = {
	"{function} failed with {result} at {at} in process {pid}: {memory} has no handle of 64 "
	"bytes, and a descriptor only if one was requested when it was created",
	{{STEP_CUDA, "{thread} of process {pid} called {function}"}},
};

static MESSAGE msg_right = {
	"{function} failed with {result} at {at}: process {pid} may not take a descriptor from "
	"process {other}: {cause}; {advice}",
	{{STEP_CUDA, "{thread} of process {pid} asked for a descriptor of process {other}"}},
};

static const struct message_text *msg_of(uint64_t memory)
{
	switch (memory) {
	case MPSAN_MEMORY_VMM:
	case MPSAN_MEMORY_POOL:
	case MPSAN_MEMORY_POOL_POINTER:
		return &msg_type;
	default:
		return &msg_kind;
	}
}

void rule_ipc_unsupported_memory(const struct facts *facts, const struct trigger *trigger,
				 struct findings *out)
{
	const struct ipc_refused *refused = &facts->cuda.refuseds[trigger->index];

	if (refused->ev.memory == MPSAN_MEMORY_IMPORTED && !refused->ev.other)
		return;
	switch (refused->ev.cause) {
	case MPSAN_CAUSE_MEMORY:
		FIND_SHARED(out, ipc_unsupported_memory, GRADE_WARNING, trigger, 0, 0,
			    msg_of(refused->ev.memory));
		break;
	case MPSAN_CAUSE_YAMA:
	case MPSAN_CAUSE_USER:
	case MPSAN_CAUSE_CAPABILITY:
	case MPSAN_CAUSE_CLOSED:
		FIND_SHARED(out, ipc_unsupported_memory, GRADE_ERROR, trigger, 0, 0, &msg_right);
		break;
	case MPSAN_CAUSE_UNKNOWN:
		if (refused->ev.other)
			FIND_SHARED(out, ipc_unsupported_memory, GRADE_WARNING, trigger, 0, 0,
				    &msg_right);
		break;
	default:
		break;
	}
}
