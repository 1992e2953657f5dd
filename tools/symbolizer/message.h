/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to the symbolizer and its answers, as bytes. Neither side trusts the other's: what does not fit makes a
 * message bad, and everything taken from it 0 or NULL. Neighbours: symbolizer.h sends them, serve.h answers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../reader/maps.h"

/* Longer texts are cut when they are put: no function or file has such a name. */
#define MESSAGE_TEXT_BYTES 8192u

struct message {
	uint8_t *bytes;
	size_t used, room;
	size_t at; /* taken so far */
	bool bad;
};

/* Empties it; the memory is kept. */
void message_begin(struct message *message);
void message_finish(struct message *message);

void message_put(struct message *message, uint64_t number);
void message_put_bytes(struct message *message, const void *bytes, size_t count);
/* NULL is kept apart from "". */
void message_put_text(struct message *message, const char *text);
void message_put_module(struct message *message, const struct module *module);

uint64_t message_take(struct message *message);
/* Point into the message, valid until it changes. */
const void *message_take_bytes(struct message *message, size_t count);
const char *message_take_text(struct message *message);
/* Its texts point into the message, too. */
void message_take_module(struct message *message, struct module *module);
