/* SPDX-License-Identifier: Apache-2.0 */
/* Reads exceptions of C++: their types and texts. */
#include "cxx_exception.h"

#include <string.h>

#define CLASS_GNU 0x474e5543432b2b00ull /* "GNUCC++", in the unwinder's part of a header */
#define CLASS_GNU_DEPENDENT (CLASS_GNU + 1) /* rethrown from a std::exception_ptr */
#define CLASS_LLVM 0x434c4e47432b2b00ull
#define MANGLED_BYTES 128u
#define BASES_MAX 16u

/* Where headers have what, in bytes; the object follows the header, its type stands at the same distance before it. */
enum {
	GNU_CLASS = 80,
	GNU_BYTES = 112,
	LLVM_CLASS = 96,
	LLVM_BYTES = 128,
	TYPE_BEFORE_OBJECT = 112,
};

/* In a std::type_info; that of a class with one base has the base behind the name. */
enum { TYPE_NAME = 8, TYPE_BASE = 16 };

static uint64_t word_at(cxx_peek *peek, uint64_t address)
{
	uint64_t word;

	return peek(&word, (const void *)(uintptr_t)address, sizeof(word)) == (long)sizeof(word) ?
		       word :
		       0;
}

/* Copies a string, as far as there is room. */
static bool string_at(cxx_peek *peek, uint64_t address, char *text, size_t bytes)
{
	long got = address ? peek(text, (const void *)(uintptr_t)address, bytes - 1) : 0;

	text[got > 0 ? got : 0] = '\0';
	return got > 0 && *text;
}

bool cxx_exception_read(cxx_peek *peek, uint64_t header, struct cxx_exception *exception)
{
	uint64_t class = header ? word_at(peek, header + GNU_CLASS) : 0;

	*exception = (struct cxx_exception){0};
	if (class == CLASS_GNU)
		exception->object = header + GNU_BYTES;
	else if (class == CLASS_GNU_DEPENDENT)
		exception->object = word_at(peek, header);
	else if (header && word_at(peek, header + LLVM_CLASS) == CLASS_LLVM)
		exception->object = header + LLVM_BYTES;
	if (exception->object)
		exception->type = word_at(peek, exception->object - TYPE_BEFORE_OBJECT);
	return exception->type != 0;
}

static bool mangled_at(cxx_peek *peek, uint64_t type, char *text)
{
	uint64_t name = type ? word_at(peek, type + TYPE_NAME) : 0;

	/* a type that is not the same in all objects has a star before its name */
	return string_at(peek, name, text, MANGLED_BYTES) &&
	       (*text != '*' || string_at(peek, name + 1, text, MANGLED_BYTES));
}

/* The only base of a class, which begins where the class begins; 0: none. */
static uint64_t base_of(cxx_peek *peek, uint64_t type)
{
	char mangled[MANGLED_BYTES];
	uint64_t table = word_at(peek, type);

	return table && mangled_at(peek, word_at(peek, table - sizeof(uint64_t)), mangled) &&
			       !strcmp(mangled, "N10__cxxabiv120__si_class_type_infoE") ?
		       word_at(peek, type + TYPE_BASE) :
		       0;
}

bool cxx_exception_type(cxx_peek *peek, const struct cxx_exception *exception, char *text,
			size_t bytes)
{
	char mangled[MANGLED_BYTES];
	bool known = mangled_at(peek, exception->type, mangled);

	cxx_type_text(known ? mangled : "", text, bytes);
	return known;
}

/* Types whose objects have a pointer to their text there. */
static const struct {
	char type[56];
	uint32_t at;
} texts[] = {
	{"St13runtime_error", 8},
	{"St11logic_error", 8},
	{"N3c105ErrorE", 8},
	{"NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", 0},
	{"Ss", 0},
	{"PKc", 0},
	{"Pc", 0},
};

static bool has_text(const char *type, uint32_t *at)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(texts[i].type, type)) {
			*at = texts[i].at;
			return true;
		}
	return false;
}

static void cut_line(char *text)
{
	for (; *text; text++)
		if (*text == '\n')
			*text = '\0';
}

bool cxx_exception_text(cxx_peek *peek, const struct cxx_exception *exception, char *text,
			size_t bytes)
{
	uint64_t type = exception->type;
	char mangled[MANGLED_BYTES];
	uint32_t at;

	*text = '\0';
	for (unsigned i = 0; i < BASES_MAX && mangled_at(peek, type, mangled);
	     i++, type = base_of(peek, type)) {
		if (!has_text(mangled, &at))
			continue;
		string_at(peek, word_at(peek, exception->object + at), text, bytes);
		cut_line(text);
		break;
	}
	return *text;
}

/* ---- names of types ---- */

struct writer {
	char *at, *end;
};

static void put(struct writer *w, const char *from, size_t length)
{
	while (length-- && w->at < w->end - 1)
		*w->at++ = *from++;
	*w->at = '\0';
}

/* A name behind its length, "13runtime_error"; NULL: there is none. Without a writer it is skipped. */
static const char *put_name(struct writer *w, const char *from)
{
	size_t length = 0;

	while (*from >= '0' && *from <= '9' && length < MANGLED_BYTES)
		length = length * 10 + (size_t)(*from++ - '0');
	for (size_t i = 0; i < length; i++)
		if (!from[i])
			return NULL;
	if (!length)
		return NULL;
	if (w && length == 12 && !memcmp(from, "_GLOBAL__N_1", 12))
		put(w, "(anonymous namespace)", 21);
	else if (w)
		put(w, from, length);
	return from + length;
}

/* Names, each in the one before; false: there is something else. */
static bool put_names(struct writer *w, const char *from)
{
	bool nested = *from == 'N', first = true;

	for (from += nested; from && *from && (!nested || *from != 'E'); first = false) {
		if (!first)
			put(w, "::", 2);
		if (first && from[0] == 'S' && from[1] == 't') {
			put(w, "std", 3);
			from += 2;
			continue;
		}
		from = put_name(w, from);
		while (from && *from == 'B')
			from = put_name(NULL, from + 1);
	}
	return from && !first && (nested ? from[0] == 'E' && !from[1] : !*from);
}

void cxx_type_text(const char *mangled, char *text, size_t bytes)
{
	static const char plain[][2][56] = {
		{"i", "int"},
		{"PKc", "char const*"},
		{"Pc", "char*"},
		{"NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "std::string"},
		{"Ss", "std::string"},
	};
	struct writer w = {text, text + bytes};

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (!strcmp(plain[i][0], mangled)) {
			put(&w, plain[i][1], strlen(plain[i][1]));
			return;
		}
	if (put_names(&w, mangled))
		return;
	w.at = text;
	put(&w, mangled, strlen(mangled));
}
