/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-churn: a program starts its workers anew for each round of work. Every round pays for
 * their start, and copies a process that may have more threads and locks than in the first. Threads
 * that a library starts once for all rounds do not count as growth, nor do queue feeders, which
 * repair themselves.
 */
#include "../../facts/processes.h"
#include "../rule.h"

#define ROUNDS 3u /* the fewest that are reported */
#define GROWTHS 3u /* rounds with more threads than any before */
#define MAKERS 64u /* processes that are tracked; further ones replace earlier ones */

static MESSAGE message_text = {
	"{process} started its workers anew {amount} times, each time| |after all earlier ones had ended",
	{STEP_FORK_CALLED},
};

static MESSAGE msg_growth = {
	"{process} started its workers anew {amount} times, and had more threads from round to "
	"round, {threads} in the last: each fork copies more that it cannot repair",
	{STEP_FORK_WITHOUT_THREADS},
};

static MESSAGE msg_failing = {
	"{process} started its workers anew {amount} times, each time| |after all earlier ones had failed",
	{STEP_FORK_CALLED},
};

#define FIX_FAILING                                                                                                    \
	"find out why the workers fail: call what they run in the main program once, which shows the error; and give " \
	"up after a few failures in a row"

/* DataLoaders are PyTorch's. */
#define FIX_WITHOUT_TORCH \
	"keep one pool or executor for the whole program; create all workers before starting threads"

/* A process that starts workers: its rounds, and when the last of its present workers ends. */
struct maker {
	uint32_t slot, rounds;
	uint32_t fork; /* of the newest round */
	uint32_t growths;
	bool any_well; /* one of them did not fail */
	uint64_t most_threads;
	uint64_t until_ns;
};

static uint64_t threads_of(const struct fact_fork *fork)
{
	return fork->ev.threads > fork->ev.feeder ? fork->ev.threads - fork->ev.feeder : 1;
}

static bool fails(const struct facts *facts, uint32_t slot)
{
	const struct mpsan_process *process = facts->processes[slot].slot;

	return process->end == MPSAN_END_EXIT && process->end_value > 0;
}

static void worker_churn_tell(const struct facts *facts, const struct trigger *trigger,
			      struct findings *out, const struct maker *maker)
{
	bool torch;
	bool growing = maker->growths >= GROWTHS, failing = !growing && !maker->any_well;

	if (maker->rounds < ROUNDS)
		return;
	torch = facts->processes[maker->slot].slot->flags & MPSAN_PROCESS_TORCH;
	finding_add(out, trigger,
		    (struct finding){.rule = RULE_worker_churn,
				     .grade = growing ? GRADE_WARNING : GRADE_NOTE,
				     .message_text = growing ? &msg_growth :
						     failing ? &msg_failing :
							       &message_text,
				     .fork = maker->fork + 1,
				     .process = maker->slot + 1,
				     .amount = maker->rounds,
				     .fix = failing ? FIX_FAILING :
					    torch   ? NULL :
						      FIX_WITHOUT_TORCH});
}

static void worker_churn_count(const struct facts *facts, struct maker *maker, uint32_t index)
{
	const struct fact_fork *fork = &facts->forks[index];
	const struct fact_process *child = &facts->processes[fork->child];
	uint64_t end_ns = child->gone && !child->stayed ? child->gone_ns : UINT64_MAX;

	if (!maker->rounds)
		*maker = (struct maker){.slot = fork->at.by, .most_threads = threads_of(fork)};
	if (fork->at.time_ns > maker->until_ns) {
		maker->rounds++;
		maker->fork = index;
		if (threads_of(fork) > maker->most_threads) {
			maker->most_threads = threads_of(fork);
			maker->growths++;
		}
	}
	maker->any_well |= end_ns == UINT64_MAX || !fails(facts, fork->child);
	if (end_ns > maker->until_ns)
		maker->until_ns = end_ns;
}

void rule_worker_churn(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	struct maker makers[MAKERS] = {0};

	for (uint32_t i = 0; i < facts->fork_count; i++) {
		const struct fact_fork *fork = &facts->forks[i];
		struct maker *maker = &makers[fork->at.by % MAKERS];

		if (!(fork->ev.flags & MPSAN_FORK_PYTHON) || fork->child >= facts->process_count ||
		    !process_is_python_worker(facts, fork->child))
			continue;
		if (maker->rounds && maker->slot != fork->at.by) {
			worker_churn_tell(facts, trigger, out, maker);
			maker->rounds = 0;
		}
		worker_churn_count(facts, maker, i);
	}
	for (uint32_t i = 0; i < MAKERS; i++)
		worker_churn_tell(facts, trigger, out, &makers[i]);
}
