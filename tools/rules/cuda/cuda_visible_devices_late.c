/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-visible-devices-late: the driver reads CUDA_VISIBLE_DEVICES once, when it is initialised. A
 * later change has no effect in this process. It does apply to programs that are started later, and
 * launchers set it for them.
 */
#include "../rule.h"

static MESSAGE msg_change = {
	"CUDA_VISIBLE_DEVICES was changed from {before} to {after} at {at} in process {pid}, where CUDA had already "
	"been initialised by {init_function}[, called from {library} at {init_at}]: the change has no effect",
	{{STEP_INIT,
	  "{initialiser} of process {parent} initialised CUDA, by {init_function}, called from "
	  "{library}, which read the variable"},
	 {STEP_CUDA, "{thread} changed CUDA_VISIBLE_DEVICES from {before} to {after}"}},
};

static MESSAGE msg_launch = {
	"CUDA_VISIBLE_DEVICES was changed from {before} to {after} at {at} in process {pid} after "
	"CUDA had been initialised: the change applies to programs started since, not to this "
	"process",
	{{STEP_INIT,
	  "{initialiser} of process {parent} initialised CUDA, by {init_function}, called from "
	  "{library}, which read the variable"},
	 {STEP_CUDA, "{thread} changed CUDA_VISIBLE_DEVICES from {before} to {after}"}},
};

static MESSAGE msg_crowd = {
	"{count} processes hold a context on device 0 besides the device that they work on; "
	"process {pid} created its own by {function} at {at}. Each context takes device memory",
	{{STEP_CUDA, "{thread} of process {pid} created its context on device 0, by {function}"}},
};

/* Workers that do not select their device before the first call also get a context on device 0. */
static void judge_crowd(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	struct finding finding = {.rule = RULE_cuda_visible_devices_late,
				  .grade = GRADE_NOTE,
				  .message_text = &msg_crowd};

	if (cuda_crowd(facts, &finding.context) > 1)
		finding_add(out, trigger, finding);
}

void rule_cuda_visible_devices_late(const struct facts *facts, const struct trigger *trigger,
				    struct findings *out)
{
	const struct fact_cuda_env *env;
	uint32_t init;
	bool launches;

	if (trigger->kind == TRIGGER_SHARING_OVER) {
		judge_crowd(facts, trigger, out);
		return;
	}
	env = &facts->cuda.envs[trigger->index];
	init = cuda_init_before(facts, env->at.by, env->at.time_ns);
	launches = cuda_launch_ns(facts, env->at.by, env->at.time_ns) != 0;
	if (!init)
		return;
	if (!launches)
		FIND_FORKED(out, cuda_visible_devices_late, GRADE_WARNING, trigger, init, FACT_NONE,
			    &msg_change);
	else if (facts->cuda.inits[init - 1].at.by ==
		 env->at.by) /* not a child on its way to exec */
		FIND_FORKED(out, cuda_visible_devices_late, GRADE_NOTE, trigger, init, FACT_NONE,
			    &msg_launch);
}
