/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a process could not create its log, and the cure. Compiled into the library and the command,
 * so that the library's line and the report say the same. The log is created in record/log.c;
 * lifecycle/life.c and tools/report/processes.c print these texts.
 */
#pragma once

#include "../../include/mpsan_log.h"

/* The reason for an errno value of either sign; MPSAN_OFF_NOT (0): unknown. */
enum mpsan_off no_log_reason(long error);

/* Cause and cure as text; NULL if `why` is not about a log. */
const char *no_log_text(unsigned why);
