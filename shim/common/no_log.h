/*
 * Why a process could make no log, and the cure: pure code for both sides, so that the line that the library
 * prints and the report say the same. Neighbours: log.c makes them, life.c and tools/report/processes.c tell.
 */
#ifndef MPSAN_NO_LOG_H
#define MPSAN_NO_LOG_H

#include "../../include/mpsan_log.h"

/* Of an errno, whatever its sign; 0: not known. */
enum mpsan_off no_log_reason(long error);

/* Cause and cure; NULL where `why` is about something else. */
const char *no_log_text(unsigned why);

#endif
