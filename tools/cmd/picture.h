/* SPDX-License-Identifier: Apache-2.0 */
/* What each thread of a living program waits for, as part of a report. Neighbour: ps.h. */
#pragma once

#include "../ps/ps_picture.h"
#include "../report/report.h"

/* Adds a picture, which stays the caller's; `in_text`: to text reports, too. */
void picture_add(struct report *report, const struct ps_picture *picture, bool in_text);

/* The same of a session that is under way. */
void picture_take(struct report *report, const char *dir, bool in_text);
