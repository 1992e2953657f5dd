/*
 * Reads ELF files in the symbolizer's process: libFuzzer's entry for the sandbox around what elf.c calls directly. An input is
 * an ELF file, best with debug information. It may crash that process, but it cannot keep an answer from coming, or a sign that
 * there is none, for longer than process.c allows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../include/mpsan_log.h"
#include "../../tools/base/util.h"
#include "../../tools/symbolizer/names.h"
#include "../../tools/symbolizer/process.h"
#include "../../tools/symbolizer/serve.h"
#include "fuzz.h"

#define BASE 0x7f0000000000ull
#define STACK_BYTES 512u
#define FRAMES 64u
#define PATHS 256u /* a process keeps what it has read: each input has a path of its own there */
#define QUESTION_S 25u

static char path[32 + 2 * PATHS];
static struct message question, answer;

static void begin(enum question kind)
{
	message_begin(&question);
	message_put(&question, kind);
}

static void ask(void)
{
	uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
	enum process_end end = process_ask(&question, &answer);

	if (end == PROCESS_UNAVAILABLE || end == PROCESS_STUCK ||
	    clock_ns(CLOCK_MONOTONIC) - begun_ns > QUESTION_S * 1000000000ull)
		abort();
	if (end != PROCESS_ANSWERED)
		message_begin(&answer);
}

static void ask_names(const struct module *module)
{
	for (uint64_t at = 0; at < 0x2000; at += at < 0x400 ? 0x77 : 0x7ff) {
		begin(ASK_NAMES);
		message_put(&question, NAMES_LINES);
		message_put(&question, true);
		message_put_module(&question, module);
		message_put(&question, at);
		ask();
		message_take(&answer);
		message_take_text(&answer);
	}
}

/* A stack full of addresses of the file. */
static void ask_stack(const struct module *module)
{
	struct mpsan_stack head = {.bytes = STACK_BYTES, .valid = ~0ull};
	uint64_t word[STACK_BYTES / 8];

	for (unsigned i = 0; i < STACK_BYTES / 8; i++)
		word[i] = i % 2 ? BASE + i * 0x2b : 0x1000 + i * 8;
	for (unsigned i = 0; i < MPSAN_STACK_REGS; i++)
		head.regs[i] = word[i];
	head.regs[MPSAN_STACK_SP] = 0x1000;
	head.regs[MPSAN_STACK_PC] = BASE + 0x1105;
	begin(ASK_UNWIND);
	message_put(&question, 0);
	message_put(&question, 1);
	message_put(&question, NAMES_LINES);
	message_put_module(&question, module);
	message_put_bytes(&question, &head, sizeof(head));
	message_put_bytes(&question, word, sizeof(word));
	message_put(&question, FRAMES);
	message_put(&question, true);
	ask();
	if (message_take(&answer) > FRAMES)
		abort();
}

static void ask_python(void)
{
	begin(ASK_PYTHON);
	message_put_text(&question, path);
	ask();
}

/* Another name for the same file; the process ends when there are no more. */
static void name_file(int fd)
{
	static unsigned turn;
	int at = snprintf(path, sizeof(path), "/proc/%d/fd/", (int)getpid());

	for (unsigned i = 0; i < turn; i++)
		at += sprintf(path + at, "./");
	sprintf(path + at, "%d", fd);
	turn = (turn + 1) % PATHS;
	if (!turn)
		process_stop();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct module module = {.base = BASE, .end = BASE + (1u << 20), .path = path};
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || fchmod(fd, 0755))
		abort();
	name_file(fd);
	ask_names(&module);
	ask_stack(&module);
	ask_python();
	close(fd);
	return 0;
}
