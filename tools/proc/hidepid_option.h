/* SPDX-License-Identifier: Apache-2.0 */
/* Whether /proc hides processes of others. Neighbour: ../reader/hidepid.h finds them. */
#pragma once

#include <stdbool.h>

/* Whether /proc is mounted with hidepid. Read once. */
bool hidepid_possible(void);
/* Whether one line of mountinfo says so. */
bool hidepid_option(const char *mountinfo);
