/* SPDX-License-Identifier: Apache-2.0 */
/* Reads torch.distributed's table of process groups. */
#include "group.h"

#include "../intercept/hook.h"
#include "../python/python.h"
#include "../record/log.h"
#include "../record/modules.h"
#include "../record/stack.h"
#include "../record/state.h"

#define MODULE "torch.distributed.distributed_c10d"
#define FILE_NAME "distributed_c10d.py"
#define LOOKS 256u /* a program that creates threads all the time is no longer examined */

STATE bool group_made;
static uint64_t table, table_type; /* the dictionary _pg_map, and the type of dictionaries */
STATE static uint32_t looks;

static bool inside_making(void)
{
	return python_calls("init_process_group", FILE_NAME);
}

static NOINLINE void look_for_making(void)
{
	if (group_made || looks >= LOOKS || !python_present() || !life_may_state())
		return;
	looks++;
	GUARDED {
		if (inside_making() && !__atomic_exchange_n(&group_made, true, __ATOMIC_ACQ_REL)) {
			if (!life.self->rank)
				life.self->rank = python_rank();
			table = python_global(MODULE, "_pg_map");
			table_type = table ? python_type(table) : 0;
			EMIT(group, .made = true, .stack = stack_own(), .python = stack_python(0));
		}
	}
}

void group_thread_made(void)
{
	if (UNLIKELY(modules_have_torch()))
		look_for_making();
}

/*
 * Looks at the table of groups. Python may be shutting down; and the table is also empty while the
 * first group is being created.
 */
NOINLINE void group_look_again(void)
{
	if (python_dict_used(table, table_type) != 0 || !life_may_state())
		return;
	GUARDED {
		if (!inside_making() && __atomic_exchange_n(&group_made, false, __ATOMIC_ACQ_REL))
			EMIT(group, .made = false, .stack = stack_own(), .python = stack_python(0));
	}
}

void group_forked(void)
{
	group_made = false;
	looks = 0;
}

void group_exit(void)
{
	group_look();
}
