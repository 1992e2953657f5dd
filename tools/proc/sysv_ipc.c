/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel for the state of System V semaphores and message queues. */
#include "sysv_ipc.h"

#include <stdlib.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>

#include "../base/util.h"
#include "namespaces.h"

#define STEPS_MAX 32u

bool sysv_ipc_is_semaphore(const struct proc_call *call)
{
	return call->number == SYS_semop || call->number == SYS_semtimedop;
}

/* The value that a semaphore has for the step `at`, after those before it; -1: unknown. */
static int value_at(int set, const struct sembuf *steps, unsigned at)
{
	int value = semctl(set, steps[at].sem_num, GETVAL);

	for (unsigned i = 0; value >= 0 && i < at; i++)
		if (steps[i].sem_num == steps[at].sem_num)
			value += steps[i].sem_op;
	return value;
}

/* The first step that must wait; false: none, or it cannot be told. */
static bool find_step(uint32_t pid, const struct proc_call *call, struct sembuf *step)
{
	struct sembuf steps[STEPS_MAX];

	if (!sysv_ipc_is_semaphore(call) || call->arg[2] > STEPS_MAX ||
	    !namespace_is_ours(pid, "ipc") ||
	    !proc_peek(pid, call->arg[1], steps, call->arg[2] * sizeof(*steps)))
		return false;
	for (unsigned i = 0; i < call->arg[2]; i++) {
		int value = value_at((int)call->arg[0], steps, i);

		*step = steps[i];
		if (value < 0)
			return false;
		if (step->sem_op ? value + step->sem_op < 0 : value)
			return true;
	}
	return false;
}

bool sysv_ipc_is_lock(uint32_t pid, const struct proc_call *call)
{
	struct sembuf step;

	return find_step(pid, call, &step) && step.sem_op < 0 && step.sem_flg & SEM_UNDO;
}

/* ", last changed by process 123, which has ended"; "": nobody in sight. The caller frees it. */
static char *last_text(const char *did, int pid)
{
	if (pid <= 0)
		return text_copy("");
	return text_format(", last %s process %d%s", did, pid,
			   proc_lives((uint32_t)pid) ? "" : ", which has ended");
}

static char *semaphore_text(uint32_t pid, const struct proc_call *call)
{
	int set = (int)call->arg[0];
	struct sembuf step;
	AUTO_FREE char *last = NULL;

	if (!find_step(pid, call, &step))
		return NULL;
	last = last_text("changed by", semctl(set, step.sem_num, GETPID));
	return text_format("System V semaphore %u of set %d%s%s", step.sem_num, set,
			   step.sem_op ? "" : " to become zero", last);
}

static char *queue_text(uint32_t pid, const struct proc_call *call)
{
	bool sends = call->number == SYS_msgsnd;
	struct msqid_ds queue;
	AUTO_FREE char *last = NULL;

	if (!namespace_is_ours(pid, "ipc") || msgctl((int)call->arg[0], IPC_STAT, &queue))
		return NULL;
	last = last_text(sends ? "read by" : "written by",
			 sends ? queue.msg_lrpid : queue.msg_lspid);
	return sends || !(long)call->arg[3] ?
		       text_format("%s System V queue %d%s", sends ? "room in" : "a message of",
				   (int)call->arg[0], last) :
		       text_format("a message of type %ld of System V queue %d%s",
				   (long)call->arg[3], (int)call->arg[0], last);
}

char *sysv_ipc_text(uint32_t pid, const struct proc_call *call)
{
	if (sysv_ipc_is_semaphore(call))
		return semaphore_text(pid, call);
	return call->number == SYS_msgrcv || call->number == SYS_msgsnd ? queue_text(pid, call) :
									  NULL;
}
