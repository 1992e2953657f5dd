/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-no-peer-access: memory of one device was opened while another device was current that has no
 * access to it. The open may succeed; kernels that touch the memory fail.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} opened {bytes} of process {producer} by {function} at {at} while its current device had no "
	"peer access to {device}|, |which holds the memory",
	{STEP_EXPORTED,
	 {STEP_CUDA, "{thread} of process {pid} opened it from another device, with {result}"}},
};

void rule_ipc_no_peer_access(const struct facts *facts, const struct trigger *trigger,
			     struct findings *out)
{
	const struct ipc_import *import = &facts->cuda.imports[trigger->index];

	if (import->ev.flags & MPSAN_IPC_NO_PEER)
		FIND_SHARED(out, ipc_no_peer_access, GRADE_WARNING, trigger, import->piece, 0,
			    &message_text);
}
