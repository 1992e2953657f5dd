/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-in-forked-child: the driver was initialised, the process forked, and the child calls the
 * driver, or a framework that knows better and refuses. The driver's threads and its connection to
 * the device stayed with the parent, so every such call fails. The report also says who initialised
 * it first: often a library that only queried for devices. Other devices of torch are like it.
 */
#include "../rule.h"

#define BEFORE                                                                                 \
	"CUDA was initialised by {init_function}, called from {library} at {init_at}, before " \
	"this process was forked by {how} at {fork_at}; the driver does not work in a forked child"
#define STEP_INITIALISED                                                                   \
	{                                                                                  \
		STEP_INIT, "{initialiser} of process {parent} initialised CUDA first, by " \
			   "{init_function}, called from {library}"                        \
	}

static MESSAGE message_text = {
	"{function} failed with {result} at {at} in process {pid}: " BEFORE,
	{STEP_INITIALISED,
	 STEP_FORK_CALLED,
	 {STEP_CUDA, "{thread} of the child {pid} called {function}, which failed with {result}"}},
};

#define STEP_REFUSED(framework, device)                                                      \
	{                                                                                    \
		STEP_CUDA, "{thread} of the child {pid} wanted " device ", which " framework \
			   " refused in {function}"                                          \
	}

#define FIX "{spawn}, or initialise CUDA in the children only"

#define GUARD(id, framework, device, module, asked, when, asks, raises, frees, file, type, text, \
	      fix)                                                                               \
	static MESSAGE msg_##id = {                                                              \
		framework " refused to use CUDA at {at} in process {pid}: " BEFORE,              \
		{STEP_INITIALISED, STEP_FORK_CALLED, STEP_REFUSED(framework, "CUDA")},           \
	};
/* Who had initialised such a device is not known. */
#define KIN(id, framework, device, file)                                                     \
	static MESSAGE msg_##id = {                                                          \
		framework                                                                    \
		" refused to use " device " at {at} in process {pid}: it was initialised "   \
		"before this process was forked by {how} at {fork_at}; " device " does not " \
		"work in a forked child",                                                    \
		{STEP_FORK_CALLED, STEP_REFUSED(framework, device)},                         \
	};
#include "../../../include/mpsan_guards.def"
#undef GUARD

/* By the row in mpsan_guards.def. */
static const struct refusal {
	const struct message_text *message_text;
	const char *fix, *fix_asked;
	bool kin;
} refusals[] = {
	{&message_text, NULL, FIX CUDA_ASKED, false},
#define GUARD(id, framework, device, module, asked, when, asks, raises, frees, file, type, text, \
	      fix)                                                                               \
	{&msg_##id, fix, fix CUDA_ASKED, false},
#define KIN(id, framework, device, file) {&msg_##id, KIN_FIX(device), KIN_FIX(device), true},
#include "../../../include/mpsan_guards.def"
#undef GUARD
};
#define REFUSALS (sizeof(refusals) / sizeof(*refusals))

void rule_cuda_in_forked_child(const struct facts *facts, const struct trigger *trigger,
			       struct findings *out)
{
	const struct fact_cuda_call *call = &facts->cuda.calls[trigger->index];
	uint32_t init = cuda_init_before(facts, call->at.by, call->at.time_ns);
	uint64_t row = call->ev.kind == MPSAN_CUDA_REFUSED ? call->ev.result : 0;
	const struct refusal *refusal = &refusals[row < REFUSALS ? row : 0];
	bool asks = init && facts->cuda.inits[init - 1].asks;

	if (refusal->kin)
		init = 0;
	if ((init || refusal->kin) &&
	    proof_rule_cuda(call->ev.kind, call->ev.result) == RULE_cuda_in_forked_child)
		finding_add(out, trigger,
			    (struct finding){
				    .rule = RULE_cuda_in_forked_child,
				    .grade = GRADE_ERROR,
				    .message_text = refusal->message_text,
				    .fork = cuda_fork_after(facts, init, call->at.by) + 1,
				    .init = init,
				    .fix = asks ? refusal->fix_asked : refusal->fix,
			    });
}
