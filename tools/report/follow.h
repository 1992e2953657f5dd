/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes that follow from a finding of the same document: of a fork that is told to have hung a child, that it had threads
 * says nothing new. Neighbour: merge_sessions.h.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Sets `follows_from` of each such note to the fingerprint of that finding. */
void follow_findings(json_t *document);

/* Prints a line that counts the notes that follow and names their rules; nothing if there are none. */
void follow_print(FILE *out, const json_t *document);

/* Whether a finding follows from another. */
bool follows(const json_t *finding);
