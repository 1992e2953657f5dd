/*
 * Reads images of Python processes: libFuzzer's entry for the readers of CPython's structures, of frames, value stacks,
 * dicts, types, locks and tasks. Neighbours: ask_python.h describes an input, capture.c makes one, replay.c.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/proc/proc.h"
#include "../../tools/proc/procfs.h"
#include "../../tools/symbols/pyview.h"
#include "ask_python.h"
#include "fuzz.h"

#define PID 4711u
#define PIECES_MAX 8192u
#define PEEKS_MAX 3000000u /* of one input: some seconds in a living process */

static struct {
	const uint8_t *data;
	uint64_t at, bytes;
} piece[PIECES_MAX];
static unsigned pieces, peeks;

/* ---- the image's memory ---- */

static void read_pieces(const uint8_t *data, size_t size)
{
	size_t at = sizeof(struct image_head);
	struct image_piece head;

	for (pieces = 0; pieces < PIECES_MAX && at + sizeof(head) <= size; pieces++) {
		memcpy(&head, data + at, sizeof(head));
		at += sizeof(head);
		if (head.bytes > size - at ||
		    (pieces && head.at < piece[pieces - 1].at + piece[pieces - 1].bytes))
			break;
		piece[pieces].data = data + at;
		piece[pieces].at = head.at;
		piece[pieces].bytes = head.bytes;
		at += head.bytes;
	}
}

/* The last piece that begins there or before; `pieces`: none. Inputs made of the same image have the same pieces. */
static unsigned piece_at(uint64_t address)
{
	static uint16_t lately[4096];
	uint16_t *last = &lately[(address >> 4 ^ address >> 16) % 4096];
	unsigned low = 0, high = pieces;

	if (*last < pieces && address - piece[*last].at < piece[*last].bytes)
		return *last;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (piece[middle].at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	*last = (uint16_t)(low ? low - 1 : pieces);
	return *last;
}

static long read_memory(uint32_t pid, uint64_t from, void *to, size_t bytes)
{
	size_t done = 0, more;

	(void)pid;
	if (++peeks > PEEKS_MAX)
		abort();
	for (unsigned i = piece_at(from); i < pieces && done < bytes; i++) {
		uint64_t skip = from + done - piece[i].at;

		if (from + done < piece[i].at || skip >= piece[i].bytes)
			break;
		more = bytes - done < piece[i].bytes - skip ? bytes - done : piece[i].bytes - skip;
		memcpy((char *)to + done, piece[i].data + skip, more);
		done += more;
	}
	errno = EFAULT;
	return done ? (long)done : -1;
}

/* ---- the rest of the process ---- */

static int interpreter = -1; /* an ELF file with the image's symbols, mapped at address 0 */
static char interpreter_path[32];
static uint64_t writable[2];

static int open_file(const char *name)
{
	int fd = -1;

	if (strstr(name, "/maps") && (fd = memfd_create("maps", MFD_CLOEXEC)) >= 0) {
		dprintf(fd, "0-1000 r-xp 0 00:01 1 %s\n", interpreter_path);
		dprintf(fd, "%llx-%llx rw-p 0 00:00 0\n", (unsigned long long)writable[0],
			(unsigned long long)writable[1]);
		lseek(fd, 0, SEEK_SET);
	}
	return fd;
}

static bool read_link(const char *name, char *target, size_t bytes)
{
	snprintf(target, bytes, "%s", strstr(name, "/exe") ? interpreter_path : "");
	return *target;
}

static bool list_nothing(const char *name, void (*see)(uint32_t, void *), void *context)
{
	(void)name, (void)see, (void)context;
	return false;
}

static uint64_t no_pointer(uint32_t pid, uint32_t tid)
{
	(void)pid, (void)tid;
	return 0;
}

/* Versions before 3.11 are known by the functions that they have. */
static const char *function_of(uint32_t version)
{
	static const char *const functions[] = {"PyCode_NewWithPosOnlyArgs", "PyModule_AddType",
						"PyIter_Send"};
	unsigned minor = version >> 16 & 255;

	return minor >= 8 && minor <= 10 ? functions[minor - 8] : "PyOther";
}

struct elf_file {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	Elf64_Shdr section[3]; /* none, symbols, their names */
	Elf64_Sym symbol[9];
	char names[256];
};

static void add_symbol(struct elf_file *file, unsigned i, const char *name, uint64_t value)
{
	size_t *used = &file->section[2].sh_size;

	file->symbol[i] =
		(Elf64_Sym){.st_name = (Elf64_Word)*used, .st_shndx = 1, .st_value = value};
	strcpy(file->names + *used, name);
	*used += strlen(name) + 1;
}

static struct elf_file elf_of(const struct image_head *head)
{
	struct elf_file file = {
		.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT},
			 .e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = offsetof(struct elf_file, segment),
			 .e_shoff = offsetof(struct elf_file, section),
			 .e_ehsize = sizeof(Elf64_Ehdr),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 3},
		.segment = {.p_type = PT_LOAD, .p_filesz = sizeof(file), .p_memsz = sizeof(file)},
		.section = {[1] = {.sh_type = SHT_DYNSYM,
				   .sh_offset = offsetof(struct elf_file, symbol),
				   .sh_size = sizeof(file.symbol),
				   .sh_link = 2,
				   .sh_entsize = sizeof(Elf64_Sym)},
			    [2] = {.sh_type = SHT_STRTAB,
				   .sh_offset = offsetof(struct elf_file, names),
				   .sh_size = 1}}};

	for (unsigned i = 0; i < 7; i++)
		add_symbol(&file, i + 1, image_symbols[i], head->symbol[i]);
	add_symbol(&file, 8, function_of(head->version), 1);
	file.section[2].sh_size = sizeof(file.names);
	return file;
}

static void begin(const struct image_head *head)
{
	static const struct procfs_source source = {open_file, read_link, list_nothing, read_memory,
						    no_pointer};
	static struct image_head before;
	struct elf_file file;

	if (interpreter < 0)
		interpreter = memfd_create("python", MFD_CLOEXEC);
	snprintf(interpreter_path, sizeof(interpreter_path), "/proc/self/fd/%d", interpreter);
	memcpy(writable, head->data, sizeof(writable));
	procfs_use(&source);
	if (before.version == head->version &&
	    !memcmp(before.symbol, head->symbol, sizeof(before.symbol)))
		return;
	before = *head;
	file = elf_of(head);
	if (pwrite(interpreter, &file, sizeof(file), 0) != sizeof(file))
		abort();
	pyview_finish();
}

/* ---- changes ---- */

/* Some word of the memory: pieces and their lengths stay. */
static uint8_t *some_word(uint8_t *data, unsigned *seed)
{
	for (unsigned i = 0; i < 32; i++) {
		unsigned one = rand_r(seed) % pieces;

		if (piece[one].bytes >= 8)
			return data + (piece[one].data - data) +
			       rand_r(seed) % (piece[one].bytes / 8) * 8;
	}
	return data;
}

static uint64_t some_address(unsigned *seed)
{
	unsigned one = rand_r(seed) % pieces;

	return piece[one].at + rand_r(seed) % (piece[one].bytes / 8 + 1) * 8;
}

static uint64_t some_value(uint8_t *data, const uint8_t *at, unsigned *seed)
{
	unsigned change = rand_r(seed) % (WORD_CHANGES + 3);
	bool copies = change == WORD_CHANGES + 2;
	uint64_t word;

	memcpy(&word, copies ? some_word(data, seed) : at, 8);
	if (change < WORD_CHANGES)
		return change_word(word, change, seed);
	return copies ? word : some_address(seed); /* of another object, or itself */
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	unsigned turns = 1 + rand_r(&seed) % (rand_r(&seed) % 4 ? 4 : 64);

	if (size > sizeof(struct image_head))
		read_pieces(data, size);
	else
		pieces = 0;
	if (!pieces)
		return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, room) : size;
	if (rand_r(&seed) % 16 == 0) {
		uint64_t address = some_address(&seed);

		memcpy(data + offsetof(struct image_head, address), &address, 8);
	}
	while (turns--) {
		uint8_t *at = some_word(data, &seed);
		uint64_t value = some_value(data, at, &seed);

		if (at != data)
			memcpy(at, &value, 8);
	}
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image_head head;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	if (head.magic != IMAGE_MAGIC)
		return 0;
	peeks = 0;
	begin(&head);
	read_pieces(data, size);
	kept_begin();
	ask_python(PID, &head);
	kept_end();
	procfs_use(NULL);
	return 0;
}
