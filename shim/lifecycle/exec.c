/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records what an exec is about to run. Declared in life.h; exec_reach.c predicts whether the
 * library will be loaded.
 */
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/slot.h"
#include "../record/table.h"
#include "exec_reach.h"
#include "life.h"
#include "stages.h"

static void note_path(struct mpsan_process *p, const char *path)
{
	const char *tail = path;

	for (const char *c = path; c && *c; c++)
		if (c[0] == '/' && c[1])
			tail = c + 1;
	if (tail)
		text_put(p->exec_path, p->exec_path + sizeof(p->exec_path), tail);
}

static void note_exec(struct mpsan_process *p, const char *path, enum mpsan_off why)
{
	p->exec_ns = sys_now();
	p->execs++;
	p->why_off = (uint16_t)why;
	note_path(p, path);
	__atomic_fetch_or(&p->flags, MPSAN_PROCESS_EXEC, __ATOMIC_RELEASE);
}

void life_exec_of(uint32_t slot, const char *path, bool searched, const char *const *argv,
		  const char *const *envp)
{
	enum mpsan_off why = exec_reach_after_exec(path, searched, envp);
	struct mpsan_process *p = &life.table[slot];

	if (p->flags & MPSAN_PROCESS_ATTACHED)
		return;
	p->why_off = (uint16_t)why;
	note_path(p, path);
	life_copy_argv(p, argv);
}

/*
 * A child that has no log makes none for its exec, which its slot tells of; a second exec, after one that
 * failed, would hide when the first was.
 */
static void record_exec(const char *path, uint64_t earlier)
{
	if (!log_head() || (log_is_inherited() && !earlier))
		return;
	if (log_is_inherited())
		log_append_of(earlier, EV_exec, &(struct ev_exec){.pid = life.pid},
			      sizeof(struct ev_exec));
	EMIT(exec, .path = log_text(path), .pid = life.pid);
}

static enum mpsan_off own_reach(const char *path, bool searched, const char *const *envp)
{
	enum mpsan_off why;

	sys_snapshot_begin();
	why = exec_reach_after_exec(path, searched, envp);
	sys_snapshot_end();
	return why;
}

void life_exec(const char *path, bool searched, const char *const *argv, const char *const *envp)
{
	uint32_t pid = sys_pid(), slot;
	uint64_t earlier;

	if (!life.attached || hook_off || (path && !exec_reach_text(path)))
		return;
	if (pid == life.pid) {
		earlier = life.self->execs ? life.self->exec_ns : 0;
		note_exec(life.self, path, own_reach(path, searched, envp));
		stage_exec(path);
		record_exec(path, earlier);
		return;
	}
	slot = slot_spawned(pid, MPSAN_HOW_VFORK, life.self->birth_ns, 0);
	if (slot == TABLE_NO_SLOT)
		return;
	if (exec_reach_list(argv))
		life_copy_argv(&life.table[slot], argv);
	note_exec(&life.table[slot], path, exec_reach_after_exec(path, searched, envp));
}
