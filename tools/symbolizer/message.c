/* SPDX-License-Identifier: Apache-2.0 */
/* Packs numbers and texts: see message.h. A text is its length plus one, its bytes, and a zero; NULL has the length 0. */
#include "message.h"

#include <stdlib.h>
#include <string.h>

#include "../base/util.h"

void message_begin(struct message *message)
{
	message->used = message->at = 0;
	message->bad = false;
}

void message_finish(struct message *message)
{
	free(message->bytes);
	*message = (struct message){0};
}

void message_put_bytes(struct message *message, const void *bytes, size_t count)
{
	if (count > message->room - message->used) {
		message->room = 2 * (message->used + count);
		message->bytes = memory_grow(message->bytes, message->room);
	}
	if (count)
		memcpy(message->bytes + message->used, bytes, count);
	message->used += count;
}

void message_put(struct message *message, uint64_t number)
{
	message_put_bytes(message, &number, sizeof(number));
}

void message_put_text(struct message *message, const char *text)
{
	size_t length = text ? strnlen(text, MESSAGE_TEXT_BYTES) : 0;

	message_put(message, text ? length + 1 : 0);
	if (!text)
		return;
	message_put_bytes(message, text, length);
	message_put_bytes(message, "", 1);
}

void message_put_module(struct message *message, const struct module *module)
{
	message_put(message, module->base);
	message_put(message, module->end);
	message_put(message, module->inode);
	message_put_text(message, module->path);
	message_put_text(message, module->build_id);
	message_put_text(message, module->root);
	message_put_text(message, module->mapped);
}

const void *message_take_bytes(struct message *message, size_t count)
{
	size_t at = message->at;

	if (message->bad || count > message->used - at) {
		message->bad = true;
		return NULL;
	}
	message->at += count;
	return message->bytes ? message->bytes + at : NULL;
}

uint64_t message_take(struct message *message)
{
	const void *bytes = message_take_bytes(message, sizeof(uint64_t));
	uint64_t number = 0;

	if (bytes)
		memcpy(&number, bytes, sizeof(number));
	return number;
}

const char *message_take_text(struct message *message)
{
	uint64_t length = message_take(message);
	const char *text;

	if (!length)
		return NULL;
	text = length <= MESSAGE_TEXT_BYTES + 1 ? message_take_bytes(message, length) : NULL;
	if (text && !text[length - 1] && strlen(text) == length - 1)
		return text;
	message->bad = true;
	return NULL;
}

void message_take_module(struct message *message, struct module *module)
{
	*module = (struct module){
		.base = message_take(message),
		.end = message_take(message),
		.inode = message_take(message),
	};
	module->path = (char *)(uintptr_t)message_take_text(message);
	module->build_id = (char *)(uintptr_t)message_take_text(message);
	module->root = message_take_text(message);
	module->mapped = (char *)(uintptr_t)message_take_text(message);
}
