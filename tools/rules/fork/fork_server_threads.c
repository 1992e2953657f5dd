/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-server-threads: a fork server is safe because it is single-threaded. Its workers have the
 * same arguments, so only a process that was exec'd with them is the server.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"the fork server {parent} has {threads} threads| |when it forks at {fork_at}",
	{{STEP_FORK, "{forker} of the fork server {parent} called {how}"}},
};

static bool is_server(const struct fact_process *process)
{
	return (process->exec_ns || !fact_how_copies(process->slot->how)) &&
	       fact_argv_has(process->slot, "multiprocessing.forkserver");
}

void rule_fork_server_threads(const struct facts *facts, const struct trigger *trigger,
			      struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];

	if (fork->ev.threads > 1 && fork->at.by < facts->process_count &&
	    is_server(&facts->processes[fork->at.by]))
		FIND(out, fork_server_threads, GRADE_WARNING, trigger, trigger->index, FACT_NONE,
		     &message_text);
}
