/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of processes in texts: the name in Python, or their role. Neighbours: text_locks.h names
 * locks and threads.
 */
#pragma once

#include <jansson.h>

#include "../reader/reader.h"

/* The PID that a process has outside its PID namespace; 0: it is the same, or unknown. */
uint32_t process_outer_pid(const struct reader *reader, uint32_t slot);
/* A process's PID, with the one that it has outside its PID namespace if it differs. */
char *process_number(const struct reader *reader, uint32_t slot);
/* Adds it to an object that has `pid`, as `outer_pid`. */
void process_add_outer(const struct reader *reader, uint32_t slot, json_t *object);

/* "Process-2 (pid 123)", "resource tracker (pid 124)" or "process 125". The caller frees it. */
char *process_text(const struct reader *reader, uint32_t slot);

/* The name alone, which the caller frees; NULL: unknown. */
char *process_given_name(const struct reader *reader, uint32_t slot);

#define PROCESS_STAYED "was still running at the end"
#define PROCESS_CUT "was still running when mpsan killed the program (--on-deadlock)"

/* "was killed by signal 9 (SIGKILL: Killed)", of a process that has ended. The caller frees it. */
char *process_ended_text(const struct facts *facts, uint32_t slot);

/*
 * How it ended, as the end of a sentence: "exited with status 1 at the age of 0.4 s (2.3 s into the
 * session)"; `place` is for exception_text. The caller frees it.
 */
char *process_end_text(const struct reader *reader, uint32_t slot, const char *place);
/* The same, for a message: a headline may leave out the status and when that was. */
char *process_end_marked(const struct reader *reader, uint32_t slot, const char *place);

/*
 * "ValueError('no such file') at load (data.py:41)", "std::terminate after …", "Assertion `n > 0' failed at …", of an event. `place`
 * is for one that has no Python frames; NULL: unknown. The caller frees it.
 */
char *exception_text(const struct reader *reader, uint32_t event, const char *place);

/* The workers that outlived a killed process, a few by name. The caller frees it. */
char *process_left_text(const struct reader *reader, uint32_t slot);

/* Its role in JSON: "worker", "resource tracker" and so on; NULL: none. */
const char *process_role(const struct reader *reader, uint32_t slot);

/* How the processes of that fork are started afresh; NULL: any. */
char *process_spawn_text(const struct reader *reader, const struct fact_fork *fork);
