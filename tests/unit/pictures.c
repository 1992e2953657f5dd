/* SPDX-License-Identifier: Apache-2.0 */
/* See pictures.h. */
#include "pictures.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char wrong[512];

__attribute__((format(printf, 1, 2))) static const char *say(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(wrong, sizeof(wrong), format, list);
	va_end(list);
	return wrong;
}

/* ---- words ---- */

/* The next word of a text, which is cut there; NULL: there is none. */
static char *take(char **text)
{
	char *word;

	do
		word = strsep(text, " \t");
	while (word && !*word);
	return word;
}

static bool take_if(char **text, const char *wanted)
{
	size_t length = strlen(wanted);
	char *at = *text ? *text + strspn(*text, " \t") : NULL;

	if (!at || strncmp(at, wanted, length) != 0 || (at[length] && !strchr(" \t", at[length])))
		return false;
	*text = at[length] ? at + length + 1 : NULL;
	return true;
}

static uint64_t nanoseconds(const char *text)
{
	return (uint64_t)(strtod(text, NULL) * 1e9 + 0.5);
}

/* ---- rows ---- */

static struct picture_row *row_of(struct picture *picture, const char *process, const char *thread)
{
	for (uint32_t i = 0; i < picture->rows; i++)
		if (!strcmp(picture->row[i].process, process) &&
		    !strcmp(picture->row[i].thread, thread))
			return &picture->row[i];
	return NULL;
}

/* Behind the last thread of its process, so that these are neighbours. */
static struct picture_row *add_row(struct picture *picture)
{
	uint32_t at = picture->rows;

	if (picture->rows == PICTURE_ROWS)
		return NULL;
	for (uint32_t i = 0; i < picture->rows; i++)
		if (!strcmp(picture->row[i].process, picture->process))
			at = i + 1;
	memmove(&picture->row[at + 1], &picture->row[at],
		(picture->rows - at) * sizeof(*picture->row));
	picture->rows++;
	picture->row[at] = (struct picture_row){0};
	return &picture->row[at];
}

static const char *take_thread(struct picture *picture, char *words)
{
	const char *name = take(&words);
	struct picture_row *row;

	if (!name || !words || !*picture->process || strlen(name) >= PICTURE_NAME)
		return say("no thread");
	row = row_of(picture, picture->process, name);
	row = row ? row : add_row(picture);
	if (!row)
		return say("too many threads");
	snprintf(row->process, PICTURE_NAME, "%s", picture->process);
	snprintf(row->thread, PICTURE_NAME, "%s", name);
	snprintf(row->words, sizeof(row->words), "%s", words);
	return NULL;
}

/* ---- tables ---- */

static uint32_t process_of(const struct picture *picture, const char *name)
{
	for (uint32_t i = 0; i < picture->job.processes.count; i++)
		if (name &&
		    !strcmp(picture->row[picture->job.processes.item[i].begin].process, name))
			return i;
	return JOB_NONE;
}

/* PROCESS.THREAD */
static uint32_t thread_of(const struct picture *picture, const char *name)
{
	for (uint32_t i = 0; name && i < picture->rows; i++) {
		size_t length = strlen(picture->row[i].process);

		if (!strncmp(picture->row[i].process, name, length) && name[length] == '.' &&
		    !strcmp(picture->row[i].thread, name + length + 1))
			return i;
	}
	return JOB_NONE;
}

static enum job_excuse excuse_of(const char *name)
{
	for (unsigned i = 1; name && i < JOB_EXCUSES; i++)
		if (!strcmp(job_excuse_name(i), name))
			return i;
	return JOB_EXCUSE_NONE;
}

static const char *add_ender(struct job *job, enum job_who who, uint32_t index,
			     enum job_excuse excuse)
{
	if (index == JOB_NONE)
		return say("no such row");
	*ARRAY_ADD(&job->enders) = (struct job_ender){who, index, excuse};
	return NULL;
}

static const char *build_ends(struct job_wait *wait, char **words)
{
	const char *name = take(words);
	char *end = *words;
	unsigned ends = 0;

	while (name && picture_ends(ends) && strcmp(picture_ends(ends), name) != 0)
		ends++;
	if (!name || !picture_ends(ends))
		return say("no such end");
	wait->ends = ends;
	if (end && (end += strspn(end, " ")) && *end >= '0' && *end <= '9')
		wait->ends_ns = nanoseconds(take(words));
	return NULL;
}

static const char *build_wait(struct picture *picture, struct job_thread *thread,
			      struct job_wait *wait, char *words)
{
	struct job *job = &picture->job;
	const char *bad = NULL, *word = take(&words);
	uint32_t kind = 0, known;

	while (kind < MPSAN_KIND_COUNT && strcmp(wait_kind(kind)->name, word ? word : "") != 0)
		kind++;
	if (kind == MPSAN_KIND_COUNT)
		return say("no such kind of wait: %s", word);
	wait->kind = kind;
	wait->all = wait->by_owner = take_if(&words, "all");
	if (!wait->all && !take_if(&words, "any"))
		return say("neither any nor all");
	while (!bad && (word = take(&words))) {
		if (!strcmp(word, "process"))
			bad = add_ender(job, JOB_PROCESS, process_of(picture, take(&words)), 0);
		else if (!strcmp(word, "thread"))
			bad = add_ender(job, JOB_THREAD, thread_of(picture, take(&words)), 0);
		else if (!strcmp(word, "job"))
			bad = add_ender(job, JOB_ALL, 0, 0);
		else if (!strcmp(word, "nobody"))
			wait->by_owner = true;
		else if (!strcmp(word, "holder"))
			wait->holder = thread_of(picture, take(&words));
		else if (!strcmp(word, "by-owner"))
			wait->by_owner = true;
		else if (!strcmp(word, "asks-itself"))
			wait->asks_itself = true;
		else if (!strcmp(word, "gives-up"))
			wait->gives_up = true;
		else if (!strcmp(word, "ends"))
			bad = build_ends(wait, &words);
		else if (!strcmp(word, "except"))
			known = thread_of(picture, take(&words)),
			bad = add_ender(job, JOB_THREAD, known, excuse_of(take(&words)));
		else if (excuse_of(word))
			thread->trait = excuse_of(word);
		else
			bad = say("%s?", word);
	}
	return bad;
}

static const char *build_thread(struct picture *picture, uint32_t index)
{
	struct job *job = &picture->job;
	struct job_thread *thread = &job->threads.item[index];
	struct job_wait *wait = &job->waits.item[index];
	char copy[sizeof(picture->row->words)], *words = copy;
	const char *bad = NULL;

	snprintf(copy, sizeof(copy), "%s", picture->row[index].words);
	wait->first = job->enders.count;
	if (take_if(&words, "runs"))
		thread->runs = true, thread->trait = excuse_of(take(&words));
	else if (take_if(&words, "waits"))
		bad = build_wait(picture, thread, wait, words);
	else
		bad = say("neither runs nor waits");
	wait->enders = job->enders.count - wait->first;
	return bad;
}

/* All rows first: a wait may name any of them. */
static const char *build(struct picture *picture)
{
	struct job *job = &picture->job;
	const char *bad = NULL;

	job_begin(job);
	for (uint32_t i = 0; i < picture->rows; i++) {
		uint32_t number = job->processes.count + 1;

		if (!i || strcmp(picture->row[i].process, picture->row[i - 1].process) != 0)
			*ARRAY_ADD(&job->processes) = (struct job_process){number, i, i};
		job->processes.item[job->processes.count - 1].end = i + 1;
		*ARRAY_ADD(&job->threads) =
			(struct job_thread){.tid = i + 1, .process = job->processes.count - 1};
		*ARRAY_ADD(&job->waits) = (struct job_wait){.holder = JOB_NONE};
	}
	for (uint32_t i = 0; i < picture->rows && !bad; i++)
		bad = build_thread(picture, i);
	return bad;
}

/* ---- verdicts ---- */

static const char *name_of(const struct picture *picture, uint32_t thread)
{
	static char names[2][2 * PICTURE_NAME];
	static unsigned turn;

	turn = !turn;
	snprintf(names[turn], sizeof(*names), "%s.%s", picture->row[thread].process,
		 picture->row[thread].thread);
	return names[turn];
}

/* `group`: by thread, 1 + the number of its group as the picture says; 0: it is not dead. */
static const char *compare(const struct picture *picture, const uint32_t *group)
{
	const struct job_solution *solution = &picture->solution;

	for (uint32_t i = 0; i < picture->rows; i++)
		if (solution->dead[i] &&
		    picture->job.threads.item[i].trait != JOB_EXCUSE_WATCHDOG && !group[i])
			return say("%s is dead", name_of(picture, i));
		else if (!solution->dead[i] && group[i])
			return say("%s goes on", name_of(picture, i));
	for (uint32_t i = 0; i < picture->rows; i++)
		for (uint32_t k = 0; k < i; k++)
			if (group[i] && group[k] &&
			    (group[i] == group[k]) != (solution->group[i] == solution->group[k]))
				return say("%s and %s are %s", name_of(picture, i),
					   name_of(picture, k),
					   group[i] == group[k] ? "apart" : "connected");
	return NULL;
}

static const char *check_groups(struct picture *picture, uint64_t horizon_ns, char *words)
{
	uint32_t group[PICTURE_ROWS] = {0}, number = 1;
	char *word;

	job_solve(&picture->job, horizon_ns, &picture->solution);
	if (take_if(&words, "nobody"))
		return compare(picture, group);
	while ((word = take(&words))) {
		uint32_t thread = thread_of(picture, word);

		if (!strcmp(word, "|"))
			number++;
		else if (thread == JOB_NONE)
			return say("no thread %s", word);
		else
			group[thread] = number;
	}
	return compare(picture, group);
}

static const char *check_cycle(const struct picture *picture, char *words)
{
	const struct job_solution *solution = &picture->solution;
	uint32_t count = 0, first = JOB_NONE, at;
	char *word;

	while ((word = take(&words))) {
		uint32_t thread = thread_of(picture, word);

		if (thread == JOB_NONE || job_cycle(solution, thread) != thread)
			return say("%s lies on no cycle", word);
		first = first == JOB_NONE ? thread : first;
		count++;
	}
	at = first;
	for (uint32_t i = 0; i < count; i++)
		at = solution->next[at];
	return at == first ? NULL : say("another cycle");
}

static const char *check_excuses(const struct picture *picture, char *words)
{
	const struct job_solution *solution = &picture->solution;
	uint64_t used = 0;
	char *word;

	for (uint32_t i = 0; i < solution->count; i++)
		used |= solution->group[i] == i ? solution->excuses[i] : 0;
	while ((word = take(&words)))
		if (!(used & 1ull << excuse_of(word)))
			return say("no excuse %s", word);
		else
			used &= ~(1ull << excuse_of(word));
	return used ? say("more excuses") : NULL;
}

static const char *check(struct picture *picture, char *words)
{
	char *seconds;

	if (take_if(&words, "cycle:"))
		return check_cycle(picture, words);
	if (take_if(&words, "excuses:"))
		return check_excuses(picture, words);
	if (take_if(&words, "for ever:"))
		return check_groups(picture, UINT64_MAX, words);
	if (take_if(&words, "but for handlers:"))
		return check_groups(picture, JOB_RENEWED, words);
	if (!take_if(&words, "before") || !(seconds = take(&words)))
		return say("no verdict");
	return check_groups(picture, nanoseconds(seconds), words);
}

const char *picture_take(struct picture *picture, char *line)
{
	const char *bad;

	line[strcspn(line, "#\n")] = 0;
	line += strspn(line, " \t");
	for (size_t end = strlen(line); end && strchr(" \t", line[end - 1]); end--)
		line[end - 1] = 0;
	if (!*line || !strcmp(line, "also:"))
		return NULL;
	if (take_if(&line, "picture")) {
		picture->rows = 0;
		*picture->process = 0;
		return NULL;
	}
	if (take_if(&line, "process")) {
		const char *name = take(&line);

		snprintf(picture->process, PICTURE_NAME, "%s", name ? name : "");
		return name ? NULL : say("no name");
	}
	if (take_if(&line, "thread"))
		return take_thread(picture, line);
	if (!take_if(&line, "=>"))
		return say("neither a row nor a verdict");
	bad = build(picture);
	return bad ? bad : check(picture, line);
}

void picture_finish(struct picture *picture)
{
	job_finish(&picture->job);
	job_solution_finish(&picture->solution);
}
