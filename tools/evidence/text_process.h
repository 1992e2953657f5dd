/*
 * What people call processes: the name that Python gave, or what they are for. Neighbours: text_locks.h names
 * locks and threads.
 */
#ifndef MPSAN_TEXT_PROCESS_H
#define MPSAN_TEXT_PROCESS_H

#include "../reader/reader.h"

/* "Process-2 (pid 123)", "resource tracker (pid 124)" or "process 125". Owned by the caller. */
char *process_text(const struct reader *reader, uint32_t slot);

/* The name alone, NULL: none is known. Owned by the caller. */
char *process_given_name(const struct reader *reader, uint32_t slot);

/* What ended it, as the end of a sentence: "exited with status 1 at the age of 0.4 s (2.3 s into the session)". Owned by the caller. */
char *process_end_text(const struct reader *reader, uint32_t slot);

/* The workers that outlived a process that was killed, a few by name. Owned by the caller. */
char *process_left_text(const struct reader *reader, uint32_t slot);

/* What it is for, as JSON tells it: "worker", "resource tracker" and their like; NULL: nothing special. */
const char *process_role(const struct reader *reader, uint32_t slot);

#endif
