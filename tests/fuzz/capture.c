/*
 * Captures what is read of the Python threads of a process that stands still: capture PID FILE makes FILE.0, FILE.1, …,
 * inputs of python.c. Neighbours: ask_python.h describes an image, images.py runs programs to capture.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../../tools/base/util.h"
#include "../../tools/proc/proc.h"
#include "../../tools/proc/procfs.h"
#include "../../tools/proc/procmaps.h"
#include "../../tools/symbolizer/python_symbols.h"
#include "../../tools/symbols/pyview.h"
#include "../../tools/waits/outside.h"
#include "ask_python.h"

#define BLOCK 16u /* memory is kept in such blocks */
#define DATA (32u << 10) /* of the interpreter's data, from the runtime on */

static struct {
	uint32_t pid;
	const char *path;
	struct image_head head;
	unsigned images;
} capture;

static ARRAY(uint64_t) blocks; /* their addresses */

/* ---- /proc, with a note of all memory that is read ---- */

/* Its maps, without writable memory but that in which handlers are looked for. */
static int open_file(const char *name)
{
	char path[128], line[8192];
	int fd = memfd_create("maps", MFD_CLOEXEC);
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s", name);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps))
		if (!strstr(line, " rw"))
			dprintf(fd, "%s", line);
	dprintf(fd, "%" PRIx64 "-%" PRIx64 " rw-p 0 00:00 0\n", capture.head.data[0],
		capture.head.data[1]);
	lseek(fd, 0, SEEK_SET);
	if (maps)
		fclose(maps);
	return fd;
}

static bool read_link(const char *name, char *target, size_t bytes)
{
	char path[128];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%s", name);
	length = readlink(path, target, bytes - 1);
	target[length > 0 ? length : 0] = '\0';
	return length > 0;
}

static bool list_nothing(const char *name, void (*see)(uint32_t, void *), void *context)
{
	(void)name, (void)see, (void)context;
	return false;
}

static long copy_memory(uint64_t from, void *to, size_t bytes)
{
	struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};

	return process_vm_readv((pid_t)capture.pid, &here, 1, &there, 1, 0);
}

static long read_memory(uint32_t pid, uint64_t from, void *to, size_t bytes)
{
	long got = copy_memory(from, to, bytes);

	(void)pid;
	for (uint64_t at = from & ~(uint64_t)(BLOCK - 1); got > 0 && at < from + (uint64_t)got;
	     at += BLOCK)
		*ARRAY_ADD(&blocks) = at;
	return got;
}

static uint64_t no_pointer(uint32_t pid, uint32_t tid)
{
	(void)pid, (void)tid;
	return 0;
}

static const struct procfs_source noting = {open_file, read_link, list_nothing, read_memory,
					    no_pointer};

/* ---- writing ---- */

static int compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

static void sort_blocks(void)
{
	uint32_t kept = 0;

	qsort(blocks.item, blocks.count, sizeof(*blocks.item), compare);
	for (uint32_t i = 0; i < blocks.count; i++)
		if (!kept || blocks.item[kept - 1] != blocks.item[i])
			blocks.item[kept++] = blocks.item[i];
	blocks.count = kept;
}

/* Adjacent blocks are one piece. */
static void write_pieces(FILE *out)
{
	uint8_t bytes[BLOCK];
	uint32_t end;

	for (uint32_t i = 0; i < blocks.count; i = end) {
		for (end = i + 1;
		     end < blocks.count && blocks.item[end] - blocks.item[end - 1] == BLOCK;)
			end++;
		fwrite(&(struct image_piece){blocks.item[i], (end - i) * BLOCK},
		       sizeof(struct image_piece), 1, out);
		for (uint32_t k = i; k < end; k++) {
			memset(bytes, 0, sizeof(bytes));
			copy_memory(blocks.item[k], bytes, sizeof(bytes));
			fwrite(bytes, sizeof(bytes), 1, out);
		}
	}
}

static void write_image(void)
{
	char *name = text_format("%s.%u", capture.path, capture.images++);
	FILE *out = fopen(name, "we");

	if (!out) {
		perror(name);
		exit(2);
	}
	sort_blocks();
	fwrite(&capture.head, sizeof(capture.head), 1, out);
	write_pieces(out);
	fclose(out);
	free(name);
}

/* ---- the interpreter and its threads ---- */

static void take_symbols(const struct python_symbols *file, uint64_t start)
{
	uint64_t value[] = {file->version,	file->runtime,	  file->type_type, file->code_type,
			    file->unicode_type, file->bytes_type, file->none};

	for (unsigned i = 0; i < 7; i++)
		capture.head.symbol[i] = value[i] ? value[i] + start - file->load_vaddr : 0;
}

static bool find_interpreter(void)
{
	struct procmaps_walk walk = procmaps_begin(capture.pid);
	const struct python_symbols *file = NULL;

	while (!file && procmaps_next(&walk)) {
		file = *walk.at.path == '/' ? python_symbols_find(walk.at.path) : NULL;
		if (file && (!file->is_cpython || file->load_offset != walk.at.offset))
			file = NULL;
	}
	if (file)
		take_symbols(file, walk.at.start);
	procmaps_end(&walk);
	return file;
}

static bool has_version(void)
{
	struct pyview *view = pyview_open((pid_t)capture.pid);

	capture.head.version = view && !pyview_limit(view) ? pyview_version(view) : 0;
	free(view);
	return capture.head.version;
}

static void capture_thread(uint32_t tid, void *context)
{
	struct proc_call call = proc_call(capture.pid, tid, NULL);

	(void)context;
	capture.head.pthread = outside_descriptor(capture.pid, tid);
	capture.head.address = call.state == PROC_IN_CALL ? call.arg[0] : 0;
	capture.head.data[0] = tid == capture.pid ? capture.head.symbol[1] & ~4095ull : 0;
	capture.head.data[1] = tid == capture.pid ? capture.head.data[0] + DATA : 0;
	blocks.count = 0;
	procfs_use(&noting);
	ask_python(capture.pid, &capture.head);
	procfs_use(NULL);
	if (blocks.count)
		write_image();
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: capture PID FILE\n");
		return 2;
	}
	capture.pid = (uint32_t)strtoul(argv[1], NULL, 10);
	capture.path = argv[2];
	capture.head.magic = IMAGE_MAGIC;
	if (!find_interpreter() || !has_version()) {
		fprintf(stderr, "capture: process %u is no Python that can be read\n", capture.pid);
		return 2;
	}
	proc_threads(capture.pid, capture_thread, NULL);
	printf("%u images of Python %#x\n", capture.images, capture.head.version);
	pyview_finish();
	free(blocks.item);
	return 0;
}
