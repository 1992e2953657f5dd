/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Examines the environment, the program file and the session's directory for reasons why the
 * library will not be loaded by an exec.
 */
#include "exec_reach.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "../intercept/elf.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/state.h"

#define PATH_BYTES 256
#define HEAD_BYTES 832 /* of a program: has its program headers and its interpreter */
#define SCRIPTS_MAX 3
#define VARIABLES_MAX 65536
#define BATCH 32 /* variables */
#define PIECES 8 /* of memory */
#define GAP 64u /* between two beginnings in one piece */
#define TEXT_BYTES 464u
#define WORD 16 /* bytes of each variable that are read: enough for the names below */

static const char preload_is[] = "LD_PRELOAD=", directory_is[] = "MPSAN_DIR=",
		  options_is[] = "MPSAN_OPTIONS=";

/* Copies text that may not be mapped; what cannot be read is treated as its end. */
static void peek_text(char *to, const char *from, size_t bytes)
{
	size_t done = 0;

	while (done + 1 < bytes) {
		size_t piece = 4096 - ((uintptr_t)from + done) % 4096;
		long got;

		if (piece > bytes - 1 - done)
			piece = bytes - 1 - done;
		got = sys_peek(to + done, from + done, piece);
		if (got <= 0)
			break;
		to[done + (size_t)got] = '\0';
		done += (size_t)got;
		if (strlen(to) < done)
			return;
	}
	to[done] = '\0';
}

#define TEXT_MAX 4096u /* PATH_MAX: no path is longer */
#define LIST_MAX 64u /* arguments: a slot holds no more */

NOINLINE bool exec_reach_text(const char *text)
{
	char piece[PATH_BYTES];
	size_t done = 0, length;

	do {
		size_t bytes = 4096 - ((uintptr_t)text + done) % 4096;

		length = bytes < sizeof(piece) ? bytes : sizeof(piece);
		if (sys_peek(piece, text + done, length) != (long)length)
			return false;
		for (size_t i = 0; i < length; i++)
			if (!piece[i])
				return true;
		done += length;
	} while (done < TEXT_MAX);
	return true;
}

bool exec_reach_list(const char *const *list)
{
	const char *text;

	for (unsigned i = 0; list && i < LIST_MAX; i++) {
		if (sys_peek(&text, list + i, sizeof(text)) != sizeof(text))
			return false;
		if (!text)
			break;
		if (!exec_reach_text(text))
			return false;
	}
	return true;
}

/* ---- the environment ---- */

static void see_variable(struct exec_variables *found, const char *at, const char *begin)
{
	if (text_starts(begin, preload_is))
		found->preload = at + sizeof(preload_is) - 1;
	if (text_starts(begin, directory_is))
		found->directory = at + sizeof(directory_is) - 1;
	if (text_starts(begin, options_is))
		found->options = at + sizeof(options_is) - 1;
}

/*
 * The beginnings of variables, which mostly stand one behind the other: what lies between two is read with
 * them, so that a few pieces, read by one system call, have them all.
 */
struct beginnings {
	char text[TEXT_BYTES];
	struct iovec to[PIECES], from[PIECES];
	unsigned pieces;
	size_t bytes;
};

/* Where in the text a variable's beginning will be; TEXT_BYTES: there is no room. */
static size_t add_variable(struct beginnings *b, const char *at)
{
	struct iovec *last = b->pieces ? &b->from[b->pieces - 1] : NULL;
	size_t offset = last ? (size_t)at - (size_t)last->iov_base : 0, end = offset + WORD;

	if (last && (uintptr_t)at >= (uintptr_t)last->iov_base && offset <= last->iov_len + GAP &&
	    b->bytes - last->iov_len + end <= TEXT_BYTES) {
		offset += b->bytes - last->iov_len;
		if (end > last->iov_len) {
			b->bytes += end - last->iov_len;
			last->iov_len = b->to[b->pieces - 1].iov_len = end;
		}
		return offset;
	}
	if (b->pieces == PIECES || b->bytes + WORD > TEXT_BYTES)
		return TEXT_BYTES;
	offset = b->bytes;
	b->from[b->pieces] = (struct iovec){(void *)(uintptr_t)at, WORD};
	b->to[b->pieces++] = (struct iovec){b->text + offset, WORD};
	b->bytes += WORD;
	return offset;
}

/* Returns how many it has seen. Those at the end of a page, or not readable, are read one by one. */
static unsigned see_some(struct exec_variables *found, const char *const *at, unsigned count)
{
	struct beginnings b;
	uint16_t offset[BATCH];
	unsigned seen = 0;
	char whole[WORD + 1];
	long got;

	b.pieces = 0;
	b.bytes = 0;
	while (seen < count && (offset[seen] = (uint16_t)add_variable(&b, at[seen])) < TEXT_BYTES)
		seen++;
	got = sys_peek_many(b.to, b.from, b.pieces);
	for (unsigned i = 0; i < seen; i++) {
		const char *begin = b.text + offset[i];

		if ((long)(offset[i] + WORD) > got) {
			peek_text(whole, at[i], sizeof(whole));
			begin = whole;
		}
		see_variable(found, at[i], begin);
	}
	return seen;
}

NOINLINE bool exec_reach_look_at(struct exec_variables *found, const char *const *envp)
{
	const char *at[BATCH];
	unsigned count = BATCH, seen;

	for (unsigned done = 0; envp && count == BATCH && done < VARIABLES_MAX; done += BATCH) {
		long got = sys_peek(at, envp + done, sizeof(at));

		/* Fewer if the list ends earlier. */
		for (count = 0; (long)((count + 1) * sizeof(*at)) <= got && at[count]; count++)
			;
		if (got <= 0 || (count < BATCH && (long)((count + 1) * sizeof(*at)) > got))
			return false; /* it has no end */
		for (seen = 0; seen < count;)
			seen += see_some(found, at + seen, count - seen);
		found->count += count;
	}
	return true;
}

const char *const *exec_reach_environment(void)
{
	static const char *const *const *place;

	if (!place)
		place = elf_find_anywhere("environ");
	return place ? *place : NULL;
}

/*
 * Finds this library's path in a list of preloaded libraries, "" if it is too long; false: not in
 * it.
 */
static bool find_ours(char *path, const char *list)
{
	const char *own = elf_self() ? text_tail(elf_self()->l_name) : "libmpsan.so";
	char text[2 * PATH_BYTES], *begin = text;

	path[0] = '\0';
	peek_text(text, list, sizeof(text));
	if (strlen(text) == sizeof(text) - 1)
		return true;
	for (char *c = text;; c++) {
		char end = *c;

		if (end && end != ':' && end != ' ')
			continue;
		*c = '\0';
		if (text_equal(text_tail(begin), own)) {
			if (c - begin < PATH_BYTES)
				text_put(path, path + PATH_BYTES, begin);
			return true;
		}
		if (!end)
			return false;
		begin = c + 1;
	}
}

/*
 * The variables of this image at its start: a program may remove them from its environment before
 * it calls exec.
 */
static struct exec_variables given;

void exec_reach_start(void)
{
	given = (struct exec_variables){.preload = sys_getenv("LD_PRELOAD"),
					.directory = sys_getenv("MPSAN_DIR")};
}

static bool reach_is_there(const char *path, struct stat *st)
{
	return SYS4(SYS_newfstatat, AT_FDCWD, path, st, 0) >= 0;
}

static enum mpsan_off see_directory(const char *directory)
{
	char path[PATH_BYTES];

	if (!given.directory || text_equal(given.directory, ""))
		return MPSAN_OFF_NOT;
	if (!directory)
		return MPSAN_OFF_SESSION;
	peek_text(path, directory, sizeof(path));
	return strlen(path) + 1 == sizeof(path) || text_equal(path, given.directory) ?
		       MPSAN_OFF_NOT :
		       MPSAN_OFF_OTHER_SESSION;
}

/* What reads memory has large buffers, one at a time. */
static NOINLINE enum mpsan_off see_preload(const struct exec_variables *found)
{
	char path[PATH_BYTES];
	struct stat st;

	/* Loaded in another way than by LD_PRELOAD, it will be so again. */
	if (!find_ours(path, given.preload))
		return MPSAN_OFF_NOT;
	if (!found->preload)
		return MPSAN_OFF_ENVIRONMENT;
	if (!find_ours(path, found->preload))
		return MPSAN_OFF_PRELOAD;
	if (path[0] == '/' && !reach_is_there(path, &st))
		return MPSAN_OFF_LIBRARY;
	return see_directory(found->directory);
}

static enum mpsan_off see_environment(const char *const *envp)
{
	struct exec_variables found = {0};

	return given.preload && exec_reach_look_at(&found, envp) ? see_preload(&found) :
								   MPSAN_OFF_NOT;
}

/* ---- the program ---- */

/* Whether it runs with other privileges than its caller: the loader then ignores LD_PRELOAD. */
static enum mpsan_off see_rights(const char *path, const struct stat *st)
{
	char capabilities[32];

	if ((st->st_mode & S_ISUID && st->st_uid != (uint32_t)SYS1(SYS_getuid, 0)) ||
	    (st->st_mode & S_ISGID && st->st_mode & S_IXGRP &&
	     st->st_gid != (uint32_t)SYS1(SYS_getgid, 0)))
		return MPSAN_OFF_SETUID;
	if (SYS1(SYS_getuid, 0) &&
	    SYS4(SYS_getxattr, path, "security.capability", capabilities, sizeof(capabilities)) > 0)
		return MPSAN_OFF_CAPABILITIES;
	return MPSAN_OFF_NOT;
}

static enum mpsan_off see_elf(const char *head, long bytes)
{
	const Elf64_Ehdr *elf = (const void *)head;

	if (elf->e_machine != MPSAN_MACHINE)
		return MPSAN_OFF_MACHINE;
	if (elf->e_ident[EI_CLASS] != ELFCLASS64)
		return MPSAN_OFF_MACHINE;
	for (unsigned i = 0; i < elf->e_phnum; i++) {
		uint64_t at = elf->e_phoff + (uint64_t)i * sizeof(Elf64_Phdr);
		const Elf64_Phdr *segment = (const void *)(head + at);

		if (elf->e_phoff > HEAD_BYTES || at + sizeof(*segment) > (uint64_t)bytes)
			return MPSAN_OFF_NOT;
		if (segment->p_type != PT_INTERP)
			continue;
		for (uint64_t c = segment->p_offset; c < (uint64_t)bytes && head[c]; c++)
			if (text_starts(head + c, "ld-musl"))
				return MPSAN_OFF_MUSL;
		return MPSAN_OFF_NOT;
	}
	return MPSAN_OFF_STATIC;
}

/* Replaces the path of a script by that of its interpreter ("#! INTERPRETER [ARGUMENT]"). */
static void follow_script(char *path, const char *head)
{
	char *end = path + PATH_BYTES - 1;

	for (head += 2; *head == ' ' || *head == '\t'; head++)
		;
	while (*head && *head != ' ' && *head != '\t' && *head != '\n' && path < end)
		*path++ = *head++;
	*path = '\0';
}

static long read_head(const char *path, char *head)
{
	long fd = SYS4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), n;

	if (fd < 0)
		return 0; /* it may be executable without being readable */
	n = SYS3(SYS_read, fd, head, HEAD_BYTES);
	SYS1(SYS_close, fd);
	head[n > 0 ? n : 0] = '\0';
	return n;
}

static NOINLINE enum mpsan_off see_program(char *path)
{
	_Alignas(8) char head[HEAD_BYTES + 1];
	enum mpsan_off why;
	struct stat st;
	long n = 0;

	for (int i = 0; i < SCRIPTS_MAX; i++) {
		long error = SYS4(SYS_newfstatat, AT_FDCWD, path, &st, 0);

		if (error == -ENOENT || error == -ENOTDIR)
			return MPSAN_OFF_FAILED;
		if (error < 0 || !S_ISREG(st.st_mode))
			return MPSAN_OFF_NOT;
		n = read_head(path, head);
		if (n < 2 || head[0] != '#' || head[1] != '!')
			break;
		follow_script(path, head);
	}
	why = see_rights(path, &st);
	if (why)
		return why;
	return n >= (long)sizeof(Elf64_Ehdr) && !memcmp(head, ELFMAG, SELFMAG) ? see_elf(head, n) :
										 MPSAN_OFF_NOT;
}

/* Searches PATH as execvp does. */
static bool reach_search(char *path, const char *name)
{
	const char *const *env = exec_reach_environment();
	const char *list = NULL;

	for (; env && *env && !list; env++)
		list = text_starts(*env, "PATH=") ? *env + 5 : NULL;
	while (list && *list) {
		char *end = path + PATH_BYTES, *at = path;

		while (*list && *list != ':' && at + 1 < end)
			*at++ = *list++;
		while (*list && *list++ != ':')
			;
		at = text_put(at, end, at == path ? "./" : "/");
		text_put(at, end, name);
		if (SYS4(SYS_faccessat, AT_FDCWD, path, 1 /* X_OK */, 0) >= 0)
			return true;
	}
	return false;
}

/* ---- the session ---- */

/* Checks that the session's directory is accessible: only its owner may enter. */
static NOINLINE enum mpsan_off see_session(void)
{
	uint32_t uid = (uint32_t)SYS1(SYS_geteuid, 0);
	struct stat st;

	if (!reach_is_there(log_directory(), &st))
		return MPSAN_OFF_DIRECTORY;
	return st.st_uid != uid ? MPSAN_OFF_USER : MPSAN_OFF_NOT;
}

/* The program's path; "" if it is not found. */
static NOINLINE void find_program(char *text, const char *path, bool searched)
{
	char name[PATH_BYTES];

	peek_text(text, path ? path : "", PATH_BYTES);
	if (!searched || !text[0] || text_tail(text) != text)
		return;
	text_put(name, name + sizeof(name), text);
	if (!reach_search(text, name))
		text[0] = '\0';
}

enum mpsan_off exec_reach_after_exec(const char *path, bool searched, const char *const *envp)
{
	enum mpsan_off why = MPSAN_OFF_NOT;
	char text[PATH_BYTES];

	if (sys_image.filtered || !life.session)
		return MPSAN_OFF_NOT;
	find_program(text, path, searched);
	if (text[0] && strlen(text) + 1 < sizeof(text))
		why = see_program(text);
	if (!why)
		why = see_environment(envp ? envp : exec_reach_environment());
	return why ? why : see_session();
}
