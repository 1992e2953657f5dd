/*
 * worker-churn: a program makes its workers anew for each round of work. Every round pays for their start,
 * and copies a process that has more threads and locks than the first one had.
 */
#include "../core/people.h"

#define ROUNDS 3u /* from so many on it is worth a word */
#define MAKERS 64u /* processes that are followed; what comes beyond takes the place of another */

static const struct tale tale = {
	"{process} made its workers anew {amount} times: each time all that it had made before had ended",
	{{STEP_FORK, "{forker} of process {parent} called {how}"}},
};

static const struct tale tale_of_growth = {
	"{process} made its workers anew {amount} times, and had {threads} threads at the last, more than at the "
	"first: each round copies more of what a fork does not repair",
	{{STEP_FORK,
	  "{forker} of process {parent} called {how}; threads started before: {others}"}},
};

/* A process that makes workers: how often it did so, and when the last of the present ones ends. */
struct maker {
	uint32_t slot, rounds;
	uint32_t fork; /* of the newest round */
	uint64_t first_threads;
	uint64_t until_ns;
};

static bool is_growing(const struct fact_fork *fork, const struct maker *maker)
{
	uint64_t more = fork->ev.threads - maker->first_threads;

	return fork->ev.threads > maker->first_threads &&
	       (more > 1 || fork->ev.flags & MPSAN_FORK_TORCH);
}

static void tell(const struct facts *facts, const struct moment *moment, struct findings *out,
		 const struct maker *maker)
{
	const struct fact_fork *fork = &facts->forks[maker->fork];
	bool growing;

	if (maker->rounds < ROUNDS)
		return;
	growing = is_growing(fork, maker);
	finding_add(out, moment,
		    (struct finding){.rule = RULE_worker_churn,
				     .grade = growing ? GRADE_WARNING : GRADE_NOTE,
				     .tale = growing ? &tale_of_growth : &tale,
				     .fork = maker->fork,
				     .held = FACT_NONE,
				     .process = maker->slot + 1,
				     .amount = maker->rounds});
}

static void count(const struct facts *facts, struct maker *maker, uint32_t index)
{
	const struct fact_fork *fork = &facts->forks[index];
	const struct fact_process *child = &facts->processes[fork->child];
	uint64_t end_ns = child->gone && !child->stayed ? child->gone_ns : UINT64_MAX;

	if (!maker->rounds)
		*maker = (struct maker){fork->at.by, 0, index, fork->ev.threads, 0};
	if (fork->at.time_ns > maker->until_ns) {
		maker->rounds++;
		maker->fork = index;
	}
	if (end_ns > maker->until_ns)
		maker->until_ns = end_ns;
}

void rule_worker_churn(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	struct maker makers[MAKERS] = {0};

	for (uint32_t i = 0; i < facts->fork_count; i++) {
		const struct fact_fork *fork = &facts->forks[i];
		struct maker *maker = &makers[fork->at.by % MAKERS];

		if (!(fork->ev.flags & MPSAN_FORK_PYTHON) || fork->child >= facts->process_count ||
		    !people_is_python_worker(facts, fork->child))
			continue;
		if (maker->rounds && maker->slot != fork->at.by) {
			tell(facts, moment, out, maker);
			maker->rounds = 0;
		}
		count(facts, maker, i);
	}
	for (uint32_t i = 0; i < MAKERS; i++)
		tell(facts, moment, out, &makers[i]);
}
