/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tables of a job as text. */
#include "picture.h"

static const char *const ends_words[] = {
	[MPSAN_ENDS_NEVER] = "never", [MPSAN_ENDS_LIMIT] = "limit",
	[MPSAN_ENDS_POLL] = "poll",   [MPSAN_ENDS_ALARM] = "alarm",
	[MPSAN_ENDS_TIMER] = "timer", [MPSAN_ENDS_HANDLER] = "handler",
};

const char *picture_ends(unsigned ends)
{
	return ends < sizeof(ends_words) / sizeof(*ends_words) ? ends_words[ends] : NULL;
}

static void write_thread(FILE *out, const struct job *job, uint32_t thread)
{
	const struct job_thread *at = &job->threads.item[thread];

	fprintf(out, " %u.%u", job->processes.item[at->process].pid, at->tid);
}

static void write_enders(FILE *out, const struct job *job, const struct job_wait *wait)
{
	const struct job_ender *ender = &job->enders.item[wait->first];
	bool any = false;

	fputs(wait->all ? " all" : " any", out);
	for (uint32_t i = 0; i < wait->enders; i++) {
		if (ender[i].excuse)
			continue;
		any = true;
		if (ender[i].who == JOB_PROCESS)
			fprintf(out, " process %u", job->processes.item[ender[i].index].pid);
		else
			fputs(ender[i].who == JOB_ALL ? " job" : " thread", out);
		if (ender[i].who == JOB_THREAD)
			write_thread(out, job, ender[i].index);
	}
	if (!any)
		fputs(" nobody", out);
}

static void write_excused(FILE *out, const struct job *job, const struct job_wait *wait)
{
	const struct job_ender *ender = &job->enders.item[wait->first];

	for (uint32_t i = 0; i < wait->enders; i++) {
		if (!ender[i].excuse)
			continue;
		fputs(" except", out);
		write_thread(out, job, ender[i].index);
		fprintf(out, " %s", job_excuse_name(ender[i].excuse));
	}
}

/* A time that has passed is one that is known: what is due ends at once. */
static void write_ends(FILE *out, const struct job_wait *wait, uint64_t now_ns)
{
	uint64_t left_ns = wait->ends_ns > now_ns ? wait->ends_ns - now_ns : 1;

	if (wait->ends == MPSAN_ENDS_NEVER || !picture_ends(wait->ends))
		return;
	fprintf(out, " ends %s", picture_ends(wait->ends));
	if (wait->ends_ns)
		fprintf(out, " %llu.%09llu", (unsigned long long)(left_ns / 1000000000),
			(unsigned long long)(left_ns % 1000000000));
}

static void write_wait(FILE *out, const struct job *job, const struct job_wait *wait,
		       uint64_t now_ns)
{
	fprintf(out, " waits %s", wait_kind(wait->kind)->name);
	write_enders(out, job, wait);
	if (wait->holder != JOB_NONE)
		fputs(" holder", out);
	if (wait->holder != JOB_NONE)
		write_thread(out, job, wait->holder);
	/* that every one is needed says so already */
	fputs(wait->by_owner && !wait->all ? " by-owner" : "", out);
	fputs(wait->asks_itself ? " asks-itself" : "", out);
	fputs(wait->gives_up ? " gives-up" : "", out);
	write_ends(out, wait, now_ns);
	write_excused(out, job, wait);
}

static void write_rows(FILE *out, const struct job *job, uint64_t now_ns)
{
	uint32_t process = JOB_NONE;

	for (uint32_t i = 0; i < job->threads.count; i++) {
		const struct job_thread *at = &job->threads.item[i];

		if (at->process != process)
			fprintf(out, "process %u\n", job->processes.item[at->process].pid);
		process = at->process;
		fprintf(out, "  thread %u", at->tid);
		if (at->runs)
			fputs(" runs", out);
		else
			write_wait(out, job, &job->waits.item[i], now_ns);
		fprintf(out, "%s%s\n", at->trait ? " " : "", job_excuse_name(at->trait));
	}
}

/* A thread of each group stands for it. */
static void write_groups(FILE *out, const struct job *job, const struct job_solution *solution)
{
	bool any = false;

	fputs("=> for ever:", out);
	for (uint32_t i = 0; i < solution->count; i++) {
		if (solution->group[i] != i)
			continue;
		fputs(any ? " |" : "", out);
		any = true;
		for (uint32_t k = 0; k < solution->count; k++)
			if (solution->group[k] == i)
				write_thread(out, job, k);
	}
	fputs(any ? "\n" : " nobody\n", out);
}

static void write_cycles(FILE *out, const struct job *job, const struct job_solution *solution)
{
	for (uint32_t i = 0; i < solution->count; i++) {
		uint32_t head = solution->group[i] == i ? job_cycle(solution, i) : JOB_NONE,
			 at = head;

		if (head == JOB_NONE)
			continue;
		fputs("=> cycle:", out);
		do {
			write_thread(out, job, at);
			at = solution->next[at];
		} while (at != head);
		fputc('\n', out);
	}
}

static void write_excuses(FILE *out, const struct job_solution *solution)
{
	uint64_t used = 0;

	for (uint32_t i = 0; i < solution->count; i++)
		if (solution->group[i] == i)
			used |= solution->excuses[i];
	if (used)
		fputs("=> excuses:", out);
	for (unsigned i = 0; i < JOB_EXCUSES; i++)
		if (used >> i & 1)
			fprintf(out, " %s", job_excuse_name(i));
	if (used)
		fputc('\n', out);
}

void picture_write(FILE *out, const struct job *job, const struct job_solution *solution,
		   uint64_t now_ns)
{
	write_rows(out, job, now_ns);
	write_groups(out, job, solution);
	write_cycles(out, job, solution);
	write_excuses(out, solution);
}
