/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The solver on jobs that are drawn: each file of tests/pictures is a story with its verdict. And what must be true of
 * all jobs: of these, and of many that are drawn by chance.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pictures.h"

#define BY_CHANCE 20000u

static struct job_solution again;

/* ---- what is true of all jobs ---- */

static void copy(const struct job *from, struct job *to)
{
	job_begin(to);
	for (uint32_t i = 0; i < from->processes.count; i++)
		*ARRAY_ADD(&to->processes) = from->processes.item[i];
	for (uint32_t i = 0; i < from->threads.count; i++)
		*ARRAY_ADD(&to->threads) = from->threads.item[i];
	for (uint32_t i = 0; i < from->waits.count; i++)
		*ARRAY_ADD(&to->waits) = from->waits.item[i];
	for (uint32_t i = 0; i < from->enders.count; i++)
		*ARRAY_ADD(&to->enders) = from->enders.item[i];
}

/* One more thread that runs opens others, and never the reverse. */
static void a_thread_that_runs_is_no_harm(const struct job *job, const struct job_solution *before,
					  uint64_t horizon_ns)
{
	static struct job more;
	uint32_t last = job->processes.count - 1;

	copy(job, &more);
	*ARRAY_ADD(&more.threads) = (struct job_thread){.process = last, .runs = true};
	*ARRAY_ADD(&more.waits) = (struct job_wait){.holder = JOB_NONE};
	more.processes.item[last].end++;
	job_solve(&more, horizon_ns, &again);
	for (uint32_t i = 0; i < job->threads.count; i++)
		assert_true(before->dead[i] || !again.dead[i]);
}

/* The same job in the opposite order has the same dead threads, in the same groups. */
static void the_order_of_rows_is_of_no_account(const struct job *job,
					       const struct job_solution *before,
					       uint64_t horizon_ns)
{
	static struct job turned;
	uint32_t threads = job->threads.count, processes = job->processes.count;

	copy(job, &turned);
	for (uint32_t i = 0; i < processes; i++) {
		struct job_process *process = &turned.processes.item[processes - 1 - i];

		*process = job->processes.item[i];
		process->begin = threads - job->processes.item[i].end;
		process->end = threads - job->processes.item[i].begin;
	}
	for (uint32_t i = 0; i < threads; i++) {
		struct job_thread *thread = &turned.threads.item[threads - 1 - i];
		struct job_wait *wait = &turned.waits.item[threads - 1 - i];

		*thread = job->threads.item[i];
		thread->process = processes - 1 - thread->process;
		*wait = job->waits.item[i];
		wait->holder = wait->holder == JOB_NONE ? JOB_NONE : threads - 1 - wait->holder;
	}
	for (uint32_t i = 0; i < turned.enders.count; i++) {
		struct job_ender *ender = &turned.enders.item[i];

		ender->index = ender->who == JOB_PROCESS ? processes - 1 - ender->index :
			       ender->who == JOB_THREAD	 ? threads - 1 - ender->index :
							   0;
	}
	job_solve(&turned, horizon_ns, &again);
	for (uint32_t i = 0; i < threads; i++)
		assert_int_equal(before->dead[i], again.dead[threads - 1 - i]);
	for (uint32_t i = 0; i < threads; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_int_equal(before->group[i] == before->group[k],
					 again.group[threads - 1 - i] ==
						 again.group[threads - 1 - k]);
}

static void holds_for(const struct job *job, uint64_t horizon_ns)
{
	static struct job_solution solution;

	if (!job->threads.count)
		return;
	job_solve(job, horizon_ns, &solution);
	a_thread_that_runs_is_no_harm(job, &solution, horizon_ns);
	the_order_of_rows_is_of_no_account(job, &solution, horizon_ns);
}

/* ---- stories ---- */

static unsigned stories;

static void read_one(const char *path)
{
	struct picture picture = {.path = path};
	unsigned verdicts = 0;
	char line[512];
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char was[sizeof(line)];
		const char *bad;

		picture.line++;
		strcpy(was, line);
		bad = picture_take(&picture, line);
		if (bad)
			fail_msg("%s:%u: %s\n%s", path, picture.line, bad, was);
		verdicts += strstr(was, "=> for ever:") || strstr(was, "=> before") ||
			    strstr(was, "=> but for");
		if (strstr(was, "=>")) {
			holds_for(&picture.job, UINT64_MAX);
			holds_for(&picture.job, JOB_RENEWED);
			holds_for(&picture.job, 5000000000ull);
		}
	}
	fclose(file);
	if (!verdicts)
		fail_msg("%s has no verdict", path);
	stories += verdicts;
	picture_finish(&picture);
}

static void stories_end_as_they_say(void **state)
{
	glob_t found;

	(void)state;
	assert_int_equal(glob("tests/pictures/*.job", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		read_one(found.gl_pathv[i]);
	printf("%zu files, %u verdicts\n", found.gl_pathc, stories);
	globfree(&found);
}

/* What `mpsan ps --job` writes is read back as the same job. */
static void what_is_written_is_read_back(void **state)
{
	static const char text[] =
		"process 1\n  thread 1 waits WAIT_PROCESS any process 2 by-owner ends limit 2.500000000\n"
		"  thread 2 waits LOCK_SEMAPHORE any process 1 job holder 2.3 asks-itself ends poll except 2.4 UNDRAINED\n"
		"process 2\n  thread 3 waits LOCK_MUTEX all thread 2.4 WATCHDOG\n  thread 4 waits LOCK_MUTEX any nobody by-owner\n"
		"  thread 5 runs DRIVER\n  thread 6 waits WAIT_COND any process 2 gives-up ends timer\n";
	struct picture picture = {0};
	char *out = NULL, *lines = strdup(text), *rest = lines, *line;
	size_t bytes;
	FILE *file = open_memstream(&out, &bytes);

	(void)state;
	while ((line = strsep(&rest, "\n"))) {
		char copied[512];

		snprintf(copied, sizeof(copied), "%s", line);
		assert_null(picture_take(&picture, copied));
	}
	line = strdup("=> before 3: 2.4");
	picture_take(&picture, line);
	job_solve(&picture.job, UINT64_MAX, &picture.solution);
	picture_write(file, &picture.job, &picture.solution, 0);
	fclose(file);
	if (strncmp(out, text, strlen(text)) != 0)
		fail_msg("%s", out);
	free(line);
	free(lines);
	free(out);
	picture_finish(&picture);
}

/* ---- by chance ---- */

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static uint32_t chance(uint32_t of)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 11) % of;
}

static void draw_wait(struct job *job, struct job_thread *thread, uint32_t threads,
		      uint32_t processes)
{
	struct job_wait wait = {
		.kind = chance(MPSAN_KIND_COUNT + 1),
		.all = chance(2),
		.asks_itself = !chance(8),
		.gives_up = !chance(4),
		.ends = chance(4) ? MPSAN_ENDS_NEVER : chance(6),
		.ends_ns = chance(3) * 4000000000ull,
		.holder = chance(3) ? JOB_NONE : chance(threads),
		.first = job->enders.count,
	};

	thread->runs = !chance(6);
	thread->trait = chance(4) ? JOB_EXCUSE_NONE : chance(4);
	wait.by_owner = wait.all || !chance(4);
	for (uint32_t i = chance(4); i-- > 0;) {
		enum job_who who = wait.all ? JOB_THREAD : JOB_THREAD + chance(3);

		*ARRAY_ADD(&job->enders) = (struct job_ender){
			who, who == JOB_PROCESS ? chance(processes) : chance(threads), 0};
	}
	if (!wait.all && !chance(4))
		*ARRAY_ADD(&job->enders) = (struct job_ender){JOB_THREAD, chance(threads),
							      1 + chance(JOB_EXCUSES - 1)};
	wait.enders = job->enders.count - wait.first;
	*ARRAY_ADD(&job->waits) = wait;
}

static void what_is_true_of_all_is_true_by_chance(void **state)
{
	static struct job job;

	(void)state;
	for (unsigned round = 0; round < BY_CHANCE; round++) {
		uint32_t processes = 1 + chance(4), threads = 0;

		job_begin(&job);
		for (uint32_t i = 0; i < processes; i++) {
			uint32_t begin = threads;

			threads += 1 + chance(4);
			*ARRAY_ADD(&job.processes) = (struct job_process){i, begin, threads};
			for (uint32_t k = begin; k < threads; k++)
				*ARRAY_ADD(&job.threads) = (struct job_thread){.process = i};
		}
		for (uint32_t i = 0; i < threads; i++)
			draw_wait(&job, &job.threads.item[i], threads, processes);
		holds_for(&job, chance(2) ? UINT64_MAX : JOB_RENEWED);
	}
	job_finish(&job);
}

static int finish(void **state)
{
	(void)state;
	job_solution_finish(&again);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stories_end_as_they_say),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(what_is_true_of_all_is_true_by_chance),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
