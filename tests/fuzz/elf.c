/*
 * Reads ELF files: libFuzzer's entry for the files that a process has mapped: their symbols, unwind tables, debug information
 * and notes, as the command reads them for frames. An input is an ELF file. Neighbours: core.c reads those of cores,
 * replay.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../include/mpsan_log.h"
#include "../../tools/doctor/binary.h"
#include "../../tools/symbolizer/modules.h"
#include "../../tools/symbolizer/names.h"
#include "../../tools/symbolizer/python_symbols.h"
#include "../../tools/symbolizer/unwind/unwind.h"
#include "fuzz.h"

#define BASE 0x7f0000000000ull
#define STACK_BYTES 512u
#define FRAMES 64u

static char path[32];

static void ask_image(const struct module *module)
{
	const struct image *image = module_image(module);
	uint8_t bytes[64];

	if (!image)
		return;
	for (uint64_t at = 0; at < 0x6000; at += 0x333)
		image_is_code(image, at + image_read(image, at, bytes, sizeof(bytes)));
	image_unwind(image);
	image_bias(image, module);
}

static void ask_names(const struct module *module)
{
	struct names names;

	for (uint64_t at = 0; at < 0x5000; at += at < 0x600 ? 0x13 : 0x3ff) {
		names_find(module, at, NAMES_LINES, at % 3, &names);
		names_free(&names);
	}
	names_finish();
}

/* A stack full of addresses of the file, and of the stack. */
static void ask_unwinder(const struct modules *modules, uint64_t seed)
{
	struct mpsan_stack head = {.bytes = STACK_BYTES, .valid = ~0ull};
	uint64_t word[STACK_BYTES / 8], pcs[FRAMES];
	uint8_t signals[FRAMES];

	for (unsigned i = 0; i < STACK_BYTES / 8; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		word[i] = seed >> 63 ? BASE + (seed >> 32) % 0x600 : 0x1000 + seed % STACK_BYTES;
	}
	for (unsigned i = 0; i < MPSAN_STACK_REGS; i++)
		head.regs[i] = word[i];
	head.regs[MPSAN_STACK_SP] = 0x1000;
	for (uint64_t at = 0; at < 0x600; at += 0x2b) {
		head.regs[MPSAN_STACK_PC] = BASE + at;
		if (unwind_stack(modules, &head, (const uint8_t *)word, pcs, signals, FRAMES) >
		    FRAMES)
			abort();
	}
}

static void ask(size_t size)
{
	struct module module = {.base = BASE, .end = BASE + (1u << 20), .path = path};
	const struct modules modules = {.item = &module, .count = 1};
	struct binary binary;

	python_symbols_find(path);
	python_symbols_finish();
	ask_image(&module);
	ask_unwinder(&modules, size);
	ask_names(&module);
	unwind_finish();
	images_finish();
	binary_inspect(&binary, path);
	binary_obstacle(&binary);
	binary_finish(&binary);
}

/* What elfutils loses of a damaged file is its own matter. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libdw.so\nleak:libelf.so\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || fchmod(fd, 0755))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ask(size);
	close(fd);
	return 0;
}
