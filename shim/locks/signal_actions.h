/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions of signals of which more than that they have a handler counts. SIGWINCH: readline installs a handler in every
 * Python that imports it (pytest does), which only notes that the window was resized: it ends no wait, and must not prevent
 * a proof. SIGCHLD, SIGHUP and SIGINT: who ignores them (enum mpsan_process_marks).
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "../record/state.h"

/* The mark of who ignores a signal; 0: nobody asks. */
static inline uint8_t signal_action_mark(int number)
{
	return number == SIGINT	 ? MPSAN_MARK_IGNORES_INT :
	       number == SIGCHLD ? MPSAN_MARK_IGNORES_CHLD :
	       number == SIGHUP	 ? MPSAN_MARK_IGNORES_HUP :
				   0;
}

/* Whether a call that set such an action, which `ignores` the signal, may have changed what is known. */
static inline bool signal_action_counts(int number, bool ignores)
{
	uint8_t mark = signal_action_mark(number);

	return number == SIGWINCH || (mark && !(life.ignores & mark) == ignores);
}

/* The action of such a signal was changed, or may have been. */
void signal_action_changed(int number);

/* Whether a handler of SIGWINCH may end a wait: it is not readline's, or readline's has another one to call. */
bool signal_action_window_counts(void);
