/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler of SIGWINCH. readline installs one in every Python that imports it (pytest does),
 * which only notes that the window was resized: it ends no wait, and must not prevent a proof.
 */
#pragma once

#include <stdbool.h>

/* The action of SIGWINCH was changed, or may have been. */
void sigwinch_changed(void);

/* Whether a handler may end a wait: it is not readline's, or readline's has another one to call. */
bool sigwinch_counts(void);
