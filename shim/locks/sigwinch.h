/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who handles SIGWINCH. readline does in every Python that imported it (pytest does so), and only notes that
 * the window has changed: such a handler ends no wait, and must not stand in the way of a proof.
 */
#ifndef MPSAN_SIGWINCH_H
#define MPSAN_SIGWINCH_H

#include <stdbool.h>

/* The action of SIGWINCH was changed, or may have been. */
void sigwinch_changed(void);

/* A handler may end a wait: it is not readline's, or has another one to call in turn. */
bool sigwinch_counts(void);

#endif
