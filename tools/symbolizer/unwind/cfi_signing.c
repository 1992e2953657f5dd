/* SPDX-License-Identifier: Apache-2.0 */
/* Hides signed return addresses in unwind instructions: see cfi_signing.h. */
#include "cfi_signing.h"

#include <stdbool.h>
#include <string.h>

#define CFA_NOP 0x00
#define CFA_NEGATE_RA_STATE 0x2d

#define ENC_ULEB 1 /* its sign is of no interest here */
#define ENC_OMITTED 0xff

struct cursor {
	uint8_t *at, *end;
	bool failed;
};

static void skip(struct cursor *cursor, uint64_t bytes)
{
	if (bytes > (size_t)(cursor->end - cursor->at))
		cursor->failed = true;
	else
		cursor->at += bytes;
}

static uint8_t take_byte(struct cursor *cursor)
{
	uint8_t *at = cursor->at;

	skip(cursor, 1);
	return cursor->failed ? 0 : *at;
}

static uint32_t take_word(struct cursor *cursor)
{
	uint8_t *at = cursor->at;
	uint32_t word = 0;

	skip(cursor, sizeof(word));
	if (!cursor->failed)
		memcpy(&word, at, sizeof(word));
	return word;
}

/* As an unsigned number; to skip a signed one is the same. */
static uint64_t take_leb(struct cursor *cursor)
{
	uint64_t value = 0;
	uint8_t byte;
	unsigned shift = 0;

	do {
		byte = take_byte(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

size_t cfi_encoded_bytes(uint8_t encoding)
{
	static const uint8_t bytes[8] = {8, 0, 2, 4, 8, 0, 0, 0};

	return bytes[encoding & 7];
}

static void skip_encoded(struct cursor *cursor, uint8_t encoding)
{
	size_t size = cfi_encoded_bytes(encoding);

	if (encoding == ENC_OMITTED)
		return;
	if (size)
		skip(cursor, size);
	else if ((encoding & 7) == ENC_ULEB)
		take_leb(cursor);
	else
		cursor->failed = true;
}

/*
 * The operands of an instruction: l a LEB128 number, b a block with its length before it, a an address, digits so
 * many bytes. NULL: unknown.
 */
static const char *operands_of(uint8_t instruction)
{
	static const char *const operands[0x30] = {
		[0x00] = "",   [0x01] = "a",  [0x02] = "1",  [0x03] = "2",  [0x04] = "4",
		[0x05] = "ll", [0x06] = "l",  [0x07] = "l",  [0x08] = "l",  [0x09] = "ll",
		[0x0a] = "",   [0x0b] = "",   [0x0c] = "ll", [0x0d] = "l",  [0x0e] = "l",
		[0x0f] = "b",  [0x10] = "lb", [0x11] = "ll", [0x12] = "ll", [0x13] = "l",
		[0x14] = "ll", [0x15] = "ll", [0x16] = "lb", [0x2d] = "",   [0x2e] = "l",
		[0x2f] = "ll",
	};

	if (instruction >> 6) /* the other bits are an operand */
		return instruction >> 6 == 2 ? "l" : "";
	return instruction < sizeof(operands) / sizeof(*operands) ? operands[instruction] : NULL;
}

static void hide(struct cursor *cursor, uint8_t encoding)
{
	while (cursor->at < cursor->end && !cursor->failed) {
		uint8_t *instruction = cursor->at;
		const char *operands = operands_of(take_byte(cursor));

		if (!operands)
			return;
		for (; *operands; operands++) {
			if (*operands == 'l')
				take_leb(cursor);
			else if (*operands == 'b')
				skip(cursor, take_leb(cursor));
			else if (*operands == 'a')
				skip_encoded(cursor, encoding);
			else
				skip(cursor, (uint64_t)(*operands - '0'));
		}
		if (*instruction == CFA_NEGATE_RA_STATE)
			*instruction = CFA_NOP;
	}
}

/* What a common entry says of the entries that refer to it. */
struct common {
	uint8_t encoding; /* of addresses */
	bool augmented; /* they have more data before their instructions */
};

static struct common read_common(struct cursor *cursor)
{
	struct common common = {0};
	const char *more;
	uint8_t version = take_byte(cursor);

	more = (const char *)cursor->at;
	while (take_byte(cursor))
		continue;
	take_leb(cursor); /* alignment of code */
	take_leb(cursor); /* and of data */
	if (version == 1)
		skip(cursor, 1);
	else
		take_leb(cursor);
	common.augmented = !cursor->failed && *more == 'z';
	if (common.augmented)
		take_leb(cursor);
	for (more += common.augmented; !cursor->failed && *more; more++) {
		if (*more == 'R')
			common.encoding = take_byte(cursor);
		else if (*more == 'L')
			skip(cursor, 1);
		else if (*more == 'P')
			skip_encoded(cursor, take_byte(cursor));
		else if (*more != 'S' && *more != 'B')
			cursor->failed = true;
	}
	return common;
}

/* The entry that begins there, behind its length. */
static struct cursor entry_at(uint8_t *frames, size_t size, size_t at)
{
	struct cursor cursor = {frames + (at < size ? at : size), frames + size, false};
	uint32_t length = take_word(&cursor);

	if (length > (size_t)(cursor.end - cursor.at)) /* also the mark of 64-bit DWARF */
		cursor.failed = true;
	else
		cursor.end = cursor.at + length;
	return cursor;
}

void cfi_hide_signing(uint8_t *frames, size_t size, size_t entry)
{
	struct cursor cursor = entry_at(frames, size, entry), common_at;
	size_t here = (size_t)(cursor.at - frames);
	uint32_t back = take_word(&cursor);
	struct common common;

	if (cursor.failed || !back || back > here)
		return;
	common_at = entry_at(frames, size, here - back);
	if (take_word(&common_at) != 0) /* else no common entry */
		return;
	common = read_common(&common_at);
	if (common_at.failed)
		return;
	skip_encoded(&cursor, common.encoding);
	skip_encoded(&cursor, common.encoding);
	if (common.augmented)
		skip(&cursor, take_leb(&cursor));
	hide(&cursor, common.encoding);
}
