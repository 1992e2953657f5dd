/* SPDX-License-Identifier: Apache-2.0 */
/* Decompresses core files where elfutils can. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../proc/process/status.h"
#include "core_parts.h"

/* `waits`: elfutils waits for the end of one that is truncated, for ever. */
static const struct packing {
	const char *magic;
	const char *name, *cure;
	bool waits;
} packings[] = {
	{"\x28\xb5\x2f\xfd", "zstd", "zstd -d -o core", false},
	{"\x04\x22\x4d\x18", "lz4", "lz4 -d", false},
	{"\xfd"
	 "7zXZ",
	 "xz", "xz -dk", false},
	{"\x1f\x8b", "gzip", "gzip -dk", false},
	{"BZh", "bzip2", "bzip2 -dk", true},
};

const struct packing *packing_find(const void *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(packings) / sizeof(*packings); i++)
		if (size > 8 && !memcmp(bytes, packings[i].magic, strlen(packings[i].magic)))
			return &packings[i];
	return NULL;
}

/* ---- with elfutils ---- */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf, /* never called: the file is passed as a descriptor */
	.find_debuginfo = dwfl_standard_find_debuginfo, /* never called */
	.section_address = dwfl_offline_section_address,
};

/*
 * A small file may unpack to more than any machine has. elfutils stops where memory ends, and takes what it has got by then
 * for the whole: so it gets more than what is accepted.
 */
#define UNPACKED_MAX ((rlim_t)512 << 20)
#define MEMORY_MAX ((rlim_t)768 << 20)

/* Into memory, of which it gets half at most. Under a sanitizer, more than any machine has is in use before. */
static bool unpack(struct core *core, int fd)
{
	rlim_t page = (rlim_t)sysconf(_SC_PAGESIZE), used = proc_memory(0, PROC_DATA),
	       half = (rlim_t)sysconf(_SC_PHYS_PAGES) * page / 2;
	struct rlimit before = {0}, limit;
	Dwfl_Module *module = NULL;
	GElf_Addr bias;
	size_t bytes = 0;

	getrlimit(RLIMIT_DATA, &before);
	limit = before;
	limit.rlim_cur = used + (half < MEMORY_MAX ? half : MEMORY_MAX);
	if (limit.rlim_cur < before.rlim_cur)
		setrlimit(RLIMIT_DATA, &limit);
	core->dwfl = dwfl_begin(&callbacks);
	if (core->dwfl)
		module = dwfl_report_offline(core->dwfl, "core", core->path, dup(fd));
	core->elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	core->bytes = core->elf ? (const void *)elf_rawfile(core->elf, &bytes) : NULL;
	core->size = bytes;
	setrlimit(RLIMIT_DATA, &before);
	return core->bytes && core->size <= UNPACKED_MAX;
}

/* ---- tried by a child ---- */

#define LOOK_MS 20
#define STILL_NS 500000000ull /* of its processor's time, in which one at work fills memory */

static uint64_t ran_ns(pid_t pid)
{
	struct timespec ran;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ran))
		return 0;
	return (uint64_t)ran.tv_sec * 1000000000ull + (uint64_t)ran.tv_nsec;
}

/* Waits for the child, or ends it once it works without filling memory. */
static bool child_succeeds(pid_t child)
{
	uint64_t resident = 0, now, since_ns = 0;
	int status = 0;
	pid_t ended;

	while (!(ended = waitpid(child, &status, WNOHANG))) {
		now = proc_memory((uint32_t)child, PROC_RESIDENT);
		if (now != resident)
			since_ns = ran_ns(child);
		else if (ran_ns(child) - since_ns > STILL_NS)
			kill(child, SIGKILL);
		resident = now;
		poll(NULL, 0, LOOK_MS);
	}
	return ended == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool ends(struct core *core, int fd)
{
	pid_t child = fork();

	if (!child)
		_exit(!unpack(core, fd));
	return child > 0 && child_succeeds(child);
}

char *core_unpack(struct core *core, int fd, const struct packing *packing)
{
	if ((!packing->waits || ends(core, fd)) && unpack(core, fd))
		return NULL;
	return text_format(
		"%s: compressed with %s, which cannot be read here, or has more than %llu MiB; "
		"decompress it first: %s %s; or coredumpctl dump -o core",
		core->path, packing->name, (unsigned long long)(UNPACKED_MAX >> 20), packing->cure,
		core->path);
}
