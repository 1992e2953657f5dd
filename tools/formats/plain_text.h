/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finding as plain text with locations in the repository, for CI tools. Neighbours: out_junit.c,
 * out_github.c, location.h.
 */
#pragma once

#include "../findings/location.h"

/* What, why and the first part of the fix (headline.h), a line each, without severity and rule. The caller frees it. */
char *plain_head(const json_t *finding);

/*
 * Its steps, each with up to `frames` Python frames, the fix and the fingerprint, one line each;
 * without its message. The caller frees it.
 */
char *plain_story(const json_t *finding, const struct locator *locator, size_t frames);
