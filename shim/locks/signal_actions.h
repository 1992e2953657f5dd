/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions of signals of which more than that they have a handler counts. SIGWINCH: readline installs a handler in every
 * Python that imports it (pytest does), which only notes that the window was resized: it ends no wait, and must not prevent
 * a proof. SIGCHLD, SIGHUP and SIGINT: who ignores them (enum mpsan_process_marks).
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

static inline bool signal_action_counts(int number)
{
	return number == SIGINT || number == SIGHUP || number == SIGCHLD || number == SIGWINCH;
}

/* The action of such a signal was changed, or may have been. */
void signal_action_changed(int number);

/* Whether a handler of SIGWINCH may end a wait: it is not readline's, or readline's has another one to call. */
bool signal_action_window_counts(void);
