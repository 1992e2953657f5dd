/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads CPython's objects through `peek`. Top to bottom: memory, strings, dictionaries, types.
 */
#include "object.h"

#include "span.h"

#define STRING_MAX 4096 /* characters */
#define TEXT_PART 16u /* divides a page */
#define ENTRIES_MAX 128 /* of one instance dictionary */
#define SEARCH_MAX 16384

/* ---- memory ---- */

bool cpython_peek(const struct cpython *py, void *to, uint64_t from, size_t bytes)
{
	return from && py->peek(py, to, from, bytes) == (long)bytes;
}

uint64_t cpython_peek_word(const struct cpython *py, uint64_t from)
{
	uint64_t word;

	return cpython_peek(py, &word, from, sizeof(word)) ? word : 0;
}

/* ---- strings ---- */

struct writer writer_open(char *text, size_t bytes)
{
	return (struct writer){text, text, bytes ? text + bytes - 1 : text};
}

size_t writer_close(struct writer *w, size_t bytes)
{
	if (bytes)
		*w->at = '\0';
	return (size_t)(w->at - w->start);
}

void writer_byte(struct writer *w, unsigned byte)
{
	if (w->at < w->end)
		*w->at++ = (char)byte;
}

void writer_chars(struct writer *w, const char *text)
{
	while (*text)
		writer_byte(w, (unsigned char)*text++);
}

/*
 * Appends a character as UTF-8, whole or not at all. Surrogates stand for bytes of a file name that
 * are not UTF-8.
 */
static void writer_char(struct writer *w, uint32_t c)
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0}; /* by length */
	int bytes;

	if (c < 0x20 || c == 0x7f || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		c = '?';
	bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	if (w->end - w->at < bytes) {
		w->end = w->at;
		return;
	}
	writer_byte(w, lead[bytes] | c >> 6 * (bytes - 1));
	for (int i = bytes - 2; i >= 0; i--)
		writer_byte(w, 0x80 | (c >> 6 * i & 0x3f));
}

void writer_decimal(struct writer *w, unsigned value)
{
	char digit[12];
	unsigned n = 0;

	do
		digit[n++] = (char)('0' + value % 10);
	while (value /= 10);
	while (n)
		writer_byte(w, (unsigned char)digit[--n]);
}

/*
 * A str that is read character by character. Only compact ones, the kind that Python code creates.
 */
struct string {
	struct span span;
	uint64_t length;
	unsigned width; /* 1, 2 or 4 bytes a character */
};

static bool string_open(struct string *s, const struct cpython *py, uint64_t object)
{
	const unsigned char *head;
	uint32_t state;

	span_open(&s->span, py, object);
	head = span_take(&s->span, py->at.str_ascii);
	if (!head || word_at(head, py->at.object_type) != py->unicode_type)
		return false;
	state = (uint32_t)int_at(head, py->at.str_state);
	s->length = word_at(head, py->at.str_length);
	state >>= py->at.str_interned;
	s->width = state & 7; /* then come compact and ascii */
	if (!(state >> 4 & 1))
		span_skip(&s->span, py->at.str_compact - py->at.str_ascii);
	return (state >> 3 & 1) && (s->width == 1 || s->width == 2 || s->width == 4);
}

/* The next character; 0: not readable. */
static uint32_t string_next(struct string *s)
{
	const unsigned char *from = span_take(&s->span, s->width);
	uint32_t c = 0;

	if (from)
		memcpy(&c, from, s->width); /* little-endian, as both architectures are */
	return c;
}

void writer_string(struct writer *w, const struct cpython *py, uint64_t object)
{
	struct string s;

	if (!string_open(&s, py, object)) {
		writer_byte(w, '?');
		return;
	}
	for (uint64_t i = 0; i < s.length && i < STRING_MAX && w->at < w->end; i++)
		writer_char(w, string_next(&s));
}

void writer_first_line(struct writer *w, const struct cpython *py, uint64_t object)
{
	char *begin = w->at;
	bool more = false, blank = true;
	struct string s;
	uint32_t c;

	if (!string_open(&s, py, object))
		return;
	for (uint64_t i = 0; i < s.length && i < STRING_MAX && w->at < w->end; i++) {
		c = string_next(&s);
		if (c == '\n' && w->at > begin && !blank) {
			if (more || w->at[-1] != ':')
				break;
			more = blank = true;
			continue;
		}
		if (blank && c <= ' ')
			continue;
		if (blank && more)
			writer_byte(w, ' ');
		blank = false;
		writer_char(w, c);
	}
}

static bool string_ends(const struct cpython *py, uint64_t object, const char *with, bool whole)
{
	size_t length = strlen(with);
	struct string s;

	if (!string_open(&s, py, object) || s.length < length || (whole && s.length != length))
		return false;
	span_skip(&s.span, (s.length - length) * s.width);
	while (*with && string_next(&s) == (unsigned char)*with)
		with++;
	return !*with;
}

bool cpython_string_ends(const struct cpython *py, uint64_t object, const char *with)
{
	return string_ends(py, object, with, false);
}

bool cpython_string_is(const struct cpython *py, uint64_t object, const char *text)
{
	return string_ends(py, object, text, true);
}

size_t cpython_c_text(const struct cpython *py, uint64_t from, char *text, size_t bytes)
{
	size_t at = 0, end = 0;

	while (at + 1 < bytes) {
		if (at == end) {
			end += TEXT_PART - (from + end) % TEXT_PART; /* in one page */
			end = end < bytes - 1 ? end : bytes - 1;
			if (!cpython_peek(py, text + at, from + at, end - at))
				break;
		}
		if (!text[at])
			return at;
		at++;
	}
	if (bytes)
		text[at] = '\0';
	return at;
}

/* ---- dictionaries ---- */

/* The entries of a PyDictKeysObject: { hash, key, value } or { key, value }. */
struct keys {
	uint64_t entry;
	uint64_t count;
	unsigned bytes, key; /* of an entry; where its key stands */
};

/* Up to 3.10: refcnt, size, lookup, usable, nentries, indices (as wide as the size asks for). */
static void keys_old(struct keys *keys, uint64_t at, const void *head)
{
	uint64_t size = word_at(head, 8);
	unsigned index_bytes = size <= 0xff ? 1 : size <= 0xffff ? 2 : 4;

	*keys = (struct keys){at + 40 + size * index_bytes, word_at(head, 32), 24, 8};
}

/* From 3.11: refcnt, { log2 size, log2 bytes of indices, kind }, usable, nentries, indices. */
static void keys_new(struct keys *keys, uint64_t at, const void *head)
{
	const unsigned char *byte = head;
	bool general = byte[10] == 0; /* else all keys are str, and no hash stands beside them */

	*keys = (struct keys){at + 32 + (1ull << (byte[9] & 31)), word_at(head, 24),
			      general ? 24 : 16, general ? 8 : 0};
}

static bool keys_read(const struct cpython *py, struct keys *keys, uint64_t at)
{
	char head[40];

	if (!cpython_peek(py, head, at, sizeof(head)))
		return false;
	if (py->at.minor < 11)
		keys_old(keys, at, head);
	else
		keys_new(keys, at, head);
	return true;
}

/* Finds a key. `values` is the array of values of shared keys; 0: the values are in the entries. */
static uint64_t keys_find(const struct cpython *py, uint64_t at, uint64_t values, const char *name,
			  unsigned most)
{
	struct keys keys;
	uint64_t entry[3];

	if (!keys_read(py, &keys, at))
		return 0;
	for (uint64_t i = 0; i < keys.count && i < most; i++) {
		if (!cpython_peek(py, entry, keys.entry + i * keys.bytes, keys.bytes))
			return 0;
		if (cpython_string_is(py, word_at(entry, keys.key), name))
			return values ? cpython_peek_word(py, values + 8 * i) :
					word_at(entry, keys.key + 8);
	}
	return 0;
}

/* The key under which a value stands; as keys_find. */
static uint64_t keys_key(const struct cpython *py, uint64_t at, uint64_t values, uint64_t value)
{
	struct keys keys;
	uint64_t entry[3], found;

	if (!keys_read(py, &keys, at))
		return 0;
	for (uint64_t i = 0; i < keys.count && i < SEARCH_MAX; i++) {
		if (!cpython_peek(py, entry, keys.entry + i * keys.bytes, keys.bytes))
			return 0;
		found = values ? cpython_peek_word(py, values + 8 * i) :
				 word_at(entry, keys.key + 8);
		if (found == value)
			return word_at(entry, keys.key);
	}
	return 0;
}

uint64_t cpython_dict_key(const struct cpython *py, uint64_t dict, uint64_t value)
{
	uint64_t values = dict ? cpython_peek_word(py, dict + py->at.dict_values) : 0;

	return dict ? keys_key(py, cpython_peek_word(py, dict + py->at.dict_keys),
			       values ? values + py->at.values_items : 0, value) :
		      0;
}

static uint64_t dict_find(const struct cpython *py, uint64_t dict, const char *name, unsigned most)
{
	uint64_t values;

	if (!dict)
		return 0;
	values = cpython_peek_word(py, dict + py->at.dict_values);
	return keys_find(py, cpython_peek_word(py, dict + py->at.dict_keys),
			 values ? values + py->at.values_items : 0, name, most);
}

uint64_t cpython_dict_find(const struct cpython *py, uint64_t dict, const char *name)
{
	return dict_find(py, dict, name, ENTRIES_MAX);
}

uint64_t cpython_dict_search(const struct cpython *py, uint64_t dict, const char *name)
{
	return dict_find(py, dict, name, SEARCH_MAX);
}

unsigned cpython_list_items(const struct cpython *py, uint64_t list, uint64_t *item, unsigned most)
{
	uint64_t count = cpython_member(py, list, CPYTHON_SIZE);

	count = count < most ? count : most;
	return cpython_peek(py, item, cpython_member(py, list, CPYTHON_LIST_ITEMS),
			    count * sizeof(*item)) ?
		       (unsigned)count :
		       0;
}

unsigned cpython_dict_values(const struct cpython *py, uint64_t dict, uint64_t *value,
			     unsigned most)
{
	struct keys keys;
	char entries[2 * CPYTHON_CHUNK];
	unsigned seen = 0;
	uint64_t left, count;

	if (cpython_peek_word(py, dict + py->at.dict_values) ||
	    !keys_read(py, &keys, cpython_peek_word(py, dict + py->at.dict_keys)))
		return 0;
	for (left = keys.count; left && seen < most; left -= count) {
		count = sizeof(entries) / keys.bytes;
		count = count < left ? count : left;
		if (!cpython_peek(py, entries, keys.entry, count * keys.bytes))
			break;
		keys.entry += count * keys.bytes;
		for (unsigned i = 0; i < count && seen < most; i++) {
			value[seen] = word_at(entries, i * keys.bytes + keys.key + 8);
			seen += value[seen] != 0;
		}
	}
	return seen;
}

/* Where an instance's attributes are: in a dictionary, or as values for the keys of its type. */
struct attributes {
	uint64_t dict, keys, values;
};

#define TYPE_INLINE_VALUES (1u << 2) /* 3.13 on */
#define TYPE_BASICSIZE 32 /* PyTypeObject.tp_basicsize */
#define TYPE_MANAGED_DICT (1u << 4) /* 3.11 */

/*
 * Finds a managed dictionary, before the object and the collector's words. 3.11 has a pointer to
 * values before that one; 3.12 has one pointer for both and marks values by its lowest bit; later versions have
 * the values after the object, which is only its head in 3.13, preceded by { capacity, size, embedded,
 * valid, ... }.
 */
static struct attributes attributes_managed(const struct cpython *py, uint64_t object,
					    uint64_t type, uint64_t flags)
{
	bool free_threaded = py->at.object_type > CPYTHON_HEAD - 8; /* no words of the collector */
	uint64_t word = cpython_peek_word(py, object - (free_threaded ? 8 : 24));
	uint64_t inside = cpython_at(py, object, CPYTHON_HEAD);
	unsigned char head[4];

	if (py->at.minor == 11)
		return (struct attributes){word, 0, cpython_peek_word(py, object - 32)};
	if (py->at.minor == 12 && (word & 1))
		return (struct attributes){0, 0, word + 1};
	if ((flags & TYPE_INLINE_VALUES) && py->at.minor > 13)
		inside = object + cpython_member(py, type, TYPE_BASICSIZE);
	if ((flags & TYPE_INLINE_VALUES) && cpython_peek(py, head, inside, sizeof(head)) && head[3])
		return (struct attributes){0, 0, inside + py->at.values_items};
	return (struct attributes){word, 0, 0};
}

static struct attributes attributes_of(const struct cpython *py, uint64_t object)
{
	uint64_t type = object ? cpython_type(py, object) : 0,
		 flags = type ? cpython_peek_word(py, type + py->at.type_flags) : 0;
	struct attributes has = {0, 0, 0};
	int64_t offset;

	if (!type)
		return has;
	if (py->at.minor >= 11 && (flags & TYPE_MANAGED_DICT)) {
		has = attributes_managed(py, object, type, flags);
	} else {
		offset = (int64_t)cpython_peek_word(py, type + py->at.type_dictoffset);
		has.dict = offset > 0 ? cpython_peek_word(py, object + (uint64_t)offset) : 0;
	}
	if (has.values) {
		has.keys = cpython_peek_word(py, type + py->at.type_cached_keys);
	} else if (has.dict &&
		   (has.values = cpython_peek_word(py, has.dict + py->at.dict_values))) {
		has.values += py->at.values_items;
		has.keys = cpython_peek_word(py, has.dict + py->at.dict_keys);
	}
	return has;
}

uint64_t cpython_attribute_key(const struct cpython *py, uint64_t object, uint64_t value)
{
	struct attributes has = attributes_of(py, object);

	return has.values ? keys_key(py, has.keys, has.values, value) :
			    cpython_dict_key(py, has.dict, value);
}

uint64_t cpython_attribute(const struct cpython *py, uint64_t object, const char *name)
{
	struct attributes has = attributes_of(py, object);

	return has.values ? keys_find(py, has.keys, has.values, name, ENTRIES_MAX) :
			    cpython_dict_find(py, has.dict, name);
}

unsigned cpython_attribute_values(const struct cpython *py, uint64_t object, uint64_t *value,
				  unsigned most)
{
	struct attributes has = attributes_of(py, object);
	struct keys keys;
	uint64_t count;

	if (!has.values)
		return has.dict ? cpython_dict_values(py, has.dict, value, most) : 0;
	if (!keys_read(py, &keys, has.keys))
		return 0;
	count = keys.count < most ? keys.count : most;
	return count && cpython_peek(py, value, has.values, 8 * count) ? (unsigned)count : 0;
}

/* ---- types ---- */

static bool is_text(const struct cpython *py, uint64_t at, const char *wanted)
{
	size_t bytes = strlen(wanted) + 1;
	char text[32];

	return at && bytes <= sizeof(text) && cpython_peek(py, text, at, bytes) &&
	       !memcmp(text, wanted, bytes);
}

bool cpython_is_a(const struct cpython *py, uint64_t object, const char *name)
{
	uint64_t type = object ? cpython_type(py, object) : 0;

	return type && is_text(py, cpython_member(py, type, CPYTHON_TYPE_NAME), name);
}

bool cpython_method_is(const struct cpython *py, uint64_t method, const char *name)
{
	return method && is_text(py, cpython_peek_word(py, method), name);
}
