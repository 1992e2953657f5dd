/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines that `mpsan run` prints at once, at the first error and the first warning of a hang: that it happened, and what
 * becomes of the program; then those that the finding begins with (../base/headline.h). The full text may go elsewhere
 * (--report text=FILE), and comes later. Neighbour: watch.c.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The state of the run; it determines the advice. */
struct alert {
	const char *dir; /* of the session */
	uint64_t after_ns; /* since the session's start */
	bool is_wait; /* the finding proves an endless wait */
	bool is_hang; /* it is a long wait without a proof */
	bool is_warning;
	const char *killed_by; /* the action of --on-deadlock that kills now; NULL: none */
	const char *
		hushed_by; /* what keeps the finding from being an error of the report; NULL: nothing */
	const char *baseline; /* the file, if that has the finding; NULL: it has not */
	int kill_status; /* the exit status after killing, but for what is hushed */
	bool is_spared; /* --on-deadlock=kill leaves it alone, as something will end the wait */
	bool is_over; /* all processes of the program have ended */
};

/* Its lines; the caller frees them. */
char *first_error_text(const struct alert *alert, const json_t *finding);
