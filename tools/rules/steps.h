/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that several rules share: one of these in place of {STEP_…, "text"}. The names in braces
 * are those of ../evidence/args.def.
 */
#pragma once

#define STEP_FORK_CALLED                                               \
	{                                                              \
		STEP_FORK, "{forker} of process {parent} called {how}" \
	}
#define STEP_FORK_WITHOUT_HOLDER                                                                 \
	{                                                                                        \
		STEP_FORK,                                                                       \
			"{forker} of process {parent} called {how}, which did not copy {holder}" \
	}
#define STEP_FORK_WITHOUT_THREADS                                                                     \
	{                                                                                             \
		STEP_FORK,                                                                            \
			"{forker} of process {parent} called {how}; threads started before: {others}" \
	}
#define STEP_FORK_STARTED                                \
	{                                                \
		STEP_FORK, "{parent_process} started it" \
	}
#define STEP_HOLDER_HELD                                               \
	{                                                              \
		STEP_HOLDER, "{holder} {probably}held {lock}, {taken}" \
	}
#define STEP_CHILD_WAITS                                                  \
	{                                                                 \
		STEP_WAIT, "{thread} of the child {pid} waits for {lock}" \
	}
#define STEP_ALL_BLOCKED                   \
	{                                  \
		STEP_BLOCKED, "{deadlock}" \
	}
#define STEP_EXPORTED                                                                      \
	{                                                                                  \
		STEP_EXPORT, "process {producer} exported {bytes} of {memory} on {device}" \
	}
#define STEP_EXPORTED_AGAIN                                              \
	{                                                                \
		STEP_CUDA, "{thread} of process {pid} exported it again" \
	}
/* A fix's end, where torch.cuda was asked and so initialised it. */
#define CUDA_ASKED                                                                             \
	"; PYTORCH_NVML_BASED_CUDA_CHECK=1 lets torch.cuda.is_available() and device_count() " \
	"ask without initialising it"
#define STEP_MADE                                       \
	{                                               \
		STEP_MAKER, "{maker} created {segment}" \
	}
#define STEP_MAKER_ENDED                          \
	{                                         \
		STEP_ENDED, "{maker} {maker_end}" \
	}
#define STEP_PROCESS_ENDED                              \
	{                                               \
		STEP_ENDED, "{process} {end}{ended_by}" \
	}
#define STEP_NAME_REMOVED                             \
	{                                             \
		STEP_CAUSE, "{cause_who} unlinked it" \
	}
#define STEP_NAME_LEFT                                                                   \
	{                                                                                \
		STEP_EVENT, "the name {name} still existed when all processes had ended" \
	}
#define STEP_NOT_THERE                                                            \
	{                                                                         \
		STEP_EVENT, "{who} tries to open it, and the name does not exist" \
	}
#define STEP_WHO_CALLED                               \
	{                                             \
		STEP_EVENT, "{who} called {function}" \
	}
