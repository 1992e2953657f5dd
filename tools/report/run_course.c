/* SPDX-License-Identifier: Apache-2.0 */
/* Determines from the facts what a run did, whether it ended, and how its processes ended. */
#include "run_course.h"

#include <signal.h>
#include <string.h>

#include "../evidence/text_process.h"
#include "../facts/processes.h"

/* ---- what it did ---- */

static bool is_worker(const struct reader *reader, uint32_t slot)
{
	uint32_t parent = process_is_worker(&reader->facts, slot) ?
				  process_parent(&reader->facts, slot) :
				  FACT_NONE;

	return parent != FACT_NONE &&
	       (reader->session.table[parent].python || reader->session.table[slot].python);
}

static bool is_started(const struct reader *reader, uint32_t slot)
{
	return role_of(&reader->session.table[slot]) == ROLE_SPAWNED;
}

static bool is_loader(const struct reader *reader, uint32_t slot)
{
	return is_worker(reader, slot) && process_loads_data(&reader->facts, slot);
}

/* Children that live on are other rules' business; a fork server reaps its children itself. */
static bool is_forgotten(const struct reader *reader, uint32_t slot)
{
	return is_worker(reader, slot) && !process_is_apart(&reader->facts, slot) &&
	       !(reader->session.table[slot].flags & MPSAN_PROCESS_REAPED);
}

static bool makes_groups(const struct reader *reader, uint32_t slot)
{
	return fact_event_of(&reader->facts, slot, EV_group, FACT_NONE) != FACT_NONE;
}

static bool any(const struct reader *reader, bool (*is)(const struct reader *, uint32_t slot))
{
	READER_EACH_SLOT(reader, slot)
		if (is(reader, slot))
			return true;
	return false;
}

/* Forked children that did not exec. */
static bool has_forks(const struct reader *reader)
{
	const struct facts *facts = &reader->facts;

	for (uint32_t i = 0; i < facts->fork_count; i++)
		if (fact_how_copies(facts->forks[i].ev.how) &&
		    facts->processes[facts->forks[i].at.by].slot->python &&
		    fact_fate(facts, &facts->forks[i]) != FATE_EXEC)
			return true;
	return false;
}

static bool has_tensors(const struct facts *facts)
{
	for (uint32_t i = 0; i < facts->shm.segment_count; i++)
		if (shm_is_torch(facts, i))
			return true;
	return false;
}

const char *run_missing(const struct judge *judge, unsigned needs)
{
	const struct reader *reader = judge->reader;
	const struct facts *facts = &reader->facts;
	bool tensors = needs & (TENSORS | SHARED | ANYTHING) && has_tensors(facts);
	bool exports = facts->cuda.piece_count;

	if (needs & WORKERS && !any(reader, is_worker))
		return "no worker processes";
	if (needs & FORKS && !has_forks(reader))
		return "no Python process forked";
	if (needs & NO_FORKS && has_forks(reader))
		return "forks, but none with PyTorch loaded";
	if (needs & STARTED && !any(reader, is_started))
		return "no spawn or forkserver children";
	if (needs & LOADER && !any(reader, is_loader))
		return "no DataLoader workers";
	if (needs & CUDA && !facts->cuda.init_count)
		return "CUDA not used";
	if (needs & TENSORS && !tensors)
		return "no shared tensors";
	if (needs & EXPORTS && !exports)
		return "no exported device memory";
	if (needs & IMPORTS && !facts->cuda.import_count)
		return "no imported device memory";
	if (needs & SHARED && !tensors && !exports)
		return "nothing shared";
	if (needs & GROUP && !any(reader, makes_groups))
		return "no process groups";
	if (needs & ANYTHING && !facts->shm.segment_count && !exports && !any(reader, is_worker))
		return "no child processes, nothing shared";
	if (needs & FOLLOWED && !facts->followed)
		return "not run under mpsan run, so no supervisor watched";
	if (needs & JOINED && any(reader, is_forgotten))
		return "not all joins of workers were seen";
	return NULL;
}

/* ---- whether it ended ---- */

/* The last image of the session's first process. */
static const struct mpsan_process *root_of(const struct reader *reader)
{
	const struct mpsan_process *root = NULL;

	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];

		if (!root || (process->pid == root->pid && root->flags & MPSAN_PROCESS_REPLACED))
			root = process;
	}
	return root;
}

#define STATUS_OF_TIMEOUT 124

/* Shells and other launchers report a signal this way. */
static int signal_in(const struct mpsan_process *root, json_int_t code)
{
	if (code > 128 && code <= 128 + 64)
		return (int)code - 128;
	return code == STATUS_OF_TIMEOUT && root && fact_argv_has(root, "timeout") ? SIGTERM : 0;
}

static bool course_hangs(const struct judge *judge)
{
	for (uint32_t i = 0; i < judge->found.count; i++)
		if (judge->found.item[i].count && judge->found.item[i].is_wait &&
		    judge->found.item[i].grade >= GRADE_WARNING)
			return true;
	return false;
}

char *run_cut_off(const struct judge *judge, const json_t *end)
{
	const struct reader *reader = judge->reader;
	const struct mpsan_process *root = root_of(reader);
	int number = (int)json_integer_value(json_object_get(end, "signal"));

	if (reader->cut_ns)
		return text_copy("run incomplete: mpsan killed it after a proof");
	if (!reader->over)
		return text_copy("the run has not ended");
	if (root && root->end == MPSAN_END_SIGNAL)
		number = root->end_value;
	else if (root && root->end == MPSAN_END_EXIT && !number)
		number = signal_in(root, root->end_value);
	else if (!number)
		number = signal_in(root, json_integer_value(json_object_get(end, "code")));
	if (number)
		return text_format("run incomplete: killed by signal %d (%s)", number,
				   strsignal(number));
	if (root && root->end == MPSAN_END_NONE)
		return text_copy("the end of the run was not recorded");
	return course_hangs(judge) ? text_copy("run incomplete: it deadlocked") : NULL;
}

/* ---- how its processes ended ---- */

static bool is_hurt(const struct reader *reader, uint32_t slot, enum run_ends ends)
{
	const struct fact_process *process = &reader->facts.processes[slot];
	const struct mpsan_process *of = process->slot;

	if (of->flags & MPSAN_PROCESS_REPLACED ||
	    !(of == root_of(reader) || is_worker(reader, slot)))
		return false;
	if (!process->gone || process->stayed || of->end == MPSAN_END_NONE)
		return true;
	if (of->end == MPSAN_END_EXIT)
		return of->end_value > 0;
	return ends == UNKILLED || !process_was_ended_by_another(&reader->facts, slot);
}

char *run_hurt(const struct judge *judge, enum run_ends ends)
{
	const struct reader *reader = judge->reader;

	if (ends == ANYHOW)
		return NULL;
	READER_EACH_SLOT(reader, slot)
		if (is_hurt(reader, slot, ends)) {
			AUTO_FREE char *who = process_text(reader, slot),
				       *end = process_end_text(reader, slot, NULL);

			return text_format("%s %s", who, end);
		}
	return NULL;
}
