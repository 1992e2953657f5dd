/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks the processes that descend from the program, watched or not. */
#include "tree.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../proc/proc.h"
#include "../reader/host.h"
#include "../symbolizer/symbolizer.h"
#include "signal_process.h"

/* ---- all processes ---- */

static int tree_compare(const void *one, const void *other)
{
	const struct tree_process *a = one, *b = other;

	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static struct tree_process *tree_find(const struct tree *tree, uint32_t pid)
{
	struct tree_process key = {.pid = pid};

	return tree->there.count ? bsearch(&key, tree->there.item, tree->there.count, sizeof(key),
					   tree_compare) :
				   NULL;
}

static void tree_see(uint32_t pid, void *context)
{
	struct tree *tree = context;
	struct proc_stat stat = proc_stat(pid, pid);

	if (stat.state && (pid_t)pid != symbolizer_pid())
		*ARRAY_ADD(&tree->there) = (struct tree_process){.pid = pid,
								 .parent = stat.parent,
								 .start = stat.start,
								 .ended = proc_stat_ended(&stat)};
}

static void tree_list(struct tree *tree)
{
	tree->there.count = 0;
	if (!host_proc_is_own())
		return;
	proc_each(tree_see, tree);
	if (tree->there.count)
		qsort(tree->there.item, tree->there.count, sizeof(*tree->there.item), tree_compare);
}

/* ---- members ---- */

static bool is_stranger(const struct tree *tree, uint32_t pid)
{
	for (uint32_t i = 0; i < tree->strangers.count; i++)
		if (tree->strangers.item[i] == pid)
			return true;
	return false;
}

static void mark_watched(struct tree *tree)
{
	const struct reader *reader = tree->reader;

	READER_EACH_SLOT(reader, slot) {
		struct tree_process *process = tree_find(tree, session_pid(&reader->session, slot));

		if (process && !reader->processes[slot].gone &&
		    session_liveness(&reader->session, slot) == ALIVE)
			process->watched = process->member = true;
	}
}

static void mark_known(struct tree *tree)
{
	uint32_t self = (uint32_t)getpid();
	struct tree_process *process;

	for (uint32_t i = 0; i < tree->members.count; i++) {
		process = tree_find(tree, tree->members.item[i].pid);
		if (process && process->start == tree->members.item[i].start)
			process->member = true;
	}
	for (uint32_t i = 0; i < tree->there.count; i++) {
		process = &tree->there.item[i];
		if (process->pid == tree->root ||
		    (tree->adopts && process->parent == self && !is_stranger(tree, process->pid)))
			process->member = true;
	}
}

/* Whether it is a member, or descends from one. */
static bool tree_descends(const struct tree *tree, const struct tree_process *process)
{
	uint32_t self = (uint32_t)getpid();

	for (uint32_t i = 0; process && process->pid != self && i < tree->there.count; i++) {
		if (process->member)
			return true;
		process = tree_find(tree, process->parent);
	}
	return false;
}

static bool tree_is_known(const struct tree *tree, const struct tree_process *process)
{
	for (uint32_t i = 0; i < tree->members.count; i++)
		if (tree->members.item[i].pid == process->pid &&
		    tree->members.item[i].start == process->start)
			return true;
	return false;
}

void tree_look(struct tree *tree)
{
	tree_list(tree);
	mark_watched(tree);
	mark_known(tree);
	for (uint32_t i = 0; i < tree->there.count; i++) {
		struct tree_process *process = &tree->there.item[i];

		process->member = tree_descends(tree, process);
		if (process->member && !process->watched && !tree_is_known(tree, process))
			*ARRAY_ADD(&tree->members) = *process;
	}
}

/* ---- interface ---- */

void tree_open(struct tree *tree, const struct reader *reader, pid_t root)
{
	int adopted = 1;

	*tree = (struct tree){.reader = reader, .root = (uint32_t)root};
	tree_list(tree);
	for (uint32_t i = 0; i < tree->there.count; i++)
		if (tree->there.item[i].parent == (uint32_t)getpid() &&
		    tree->there.item[i].pid != tree->root)
			*ARRAY_ADD(&tree->strangers) = tree->there.item[i].pid;
	if (!prctl(PR_GET_CHILD_SUBREAPER, &adopted) && !adopted)
		tree->adopts = !prctl(PR_SET_CHILD_SUBREAPER, 1);
	tree_look(tree);
}

unsigned tree_signal(struct tree *tree, int number)
{
	unsigned alive = 0;

	for (uint32_t i = 0; i < tree->members.count; i++) {
		const struct tree_process *member = &tree->members.item[i];
		const struct tree_process *now = tree_find(tree, member->pid);

		if (!now || now->start != member->start || now->watched)
			continue;
		if (!now->ended)
			alive += signal_send_process(member->pid, member->start, number);
		else if (now->parent == (uint32_t)getpid() && now->pid != tree->root)
			waitpid((pid_t)now->pid, NULL, WNOHANG);
	}
	return alive;
}

void tree_close(struct tree *tree)
{
	if (tree->adopts)
		prctl(PR_SET_CHILD_SUBREAPER, 0);
	free(tree->there.item);
	free(tree->members.item);
	free(tree->strangers.item);
	*tree = (struct tree){0};
}
