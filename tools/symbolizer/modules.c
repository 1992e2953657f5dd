/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps ELF files of modules and reads their segments and unwind tables: see modules.h. Every offset
 * is checked against the size that the file had when it was opened, as the file may be truncated or
 * damaged.
 */
#define _GNU_SOURCE 1 /* tdestroy */
#include "modules.h"

#include <elf.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/guard.h"
#include "../base/plainfile.h"
#include "../base/util.h"
#include "../proc/root.h"
#include "unwind/cfi_signing.h"
#include "unwind/machine_code.h"

/* A writable mapping is charged to the memory that processes may have. */
#define IMAGE_USE (CODE_MAY_BE_SIGNED ? PROT_READ | PROT_WRITE : PROT_READ)
#define BUILD_ID_BYTES 64 /* sha1 has 20; longer ones are no build-ids */
#define PAGE_MASK 0xfffull

/* .eh_frame_hdr: the only encodings that linkers write and that allow a binary search. */
#define HEADER_VERSION 1
#define ENC_SDATA4 0x0b
#define ENC_UDATA4 0x03
#define ENC_TABLE 0x3b /* relative to the header, signed 4 bytes */

struct image {
	char *path, *root;
	uint8_t *bytes; /* a private copy; NULL: not usable; kept, so that it is not tried again */
	size_t size;
	uint64_t inode;
	uint64_t lowest; /* address of the first PT_LOAD's page */
	const Elf64_Phdr *phdr;
	size_t phdrs;
	struct image_unwind unwind;
	char build_id[2 * BUILD_ID_BYTES + 1];
};

static void *images; /* tree of struct image by path and root */

void (*image_seen)(const struct module *module);

const char *image_root(const struct image *image)
{
	return *image->root ? image->root : NULL;
}

/* Never blocks: a log may name a FIFO. A name without a slash is no path (the vdso). */
int image_open(const struct image *image)
{
	AUTO_FREE char *place =
		strchr(image->path, '/') ? root_path(image_root(image), image->path, NULL) : NULL;

	return place ? plainfile_open(AT_FDCWD, place, O_RDONLY) : -1;
}

static bool image_map(struct image *image)
{
	struct stat status;
	void *bytes = MAP_FAILED;
	int fd = image_open(image);

	if (fd < 0)
		return false;
	if (!fstat(fd, &status) && status.st_size > 0)
		bytes = mmap(NULL, (size_t)status.st_size, IMAGE_USE, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return false;
	image->bytes = bytes;
	image->size = (size_t)status.st_size;
	image->inode = status.st_ino;
	guard_add(bytes, image->size, false);
	return true;
}

static void image_unmap(struct image *image)
{
	if (image->bytes) {
		guard_remove(image->bytes);
		munmap(image->bytes, image->size);
	}
	image->bytes = NULL;
}

static bool in_file(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

static bool read_headers(struct image *image)
{
	const Elf64_Ehdr *head = (const void *)image->bytes;

	if (!in_file(image, 0, sizeof(*head)) || memcmp(head->e_ident, ELFMAG, SELFMAG))
		return false;
	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != MPSAN_MACHINE)
		return false;
	if (head->e_phentsize != sizeof(Elf64_Phdr) || head->e_phoff % _Alignof(Elf64_Phdr))
		return false;
	if (!in_file(image, head->e_phoff, (uint64_t)head->e_phnum * sizeof(Elf64_Phdr)))
		return false;
	image->phdr = (const void *)(image->bytes + head->e_phoff);
	image->phdrs = head->e_phnum;
	return true;
}

static const Elf64_Phdr *find_phdr(const struct image *image, uint32_t type)
{
	for (size_t i = 0; i < image->phdrs; i++)
		if (image->phdr[i].p_type == type)
			return &image->phdr[i];
	return NULL;
}

static const Elf64_Phdr *find_segment(const struct image *image, uint64_t vaddr)
{
	for (size_t i = 0; i < image->phdrs; i++) {
		const Elf64_Phdr *phdr = &image->phdr[i];

		if (phdr->p_type == PT_LOAD && vaddr - phdr->p_vaddr < phdr->p_filesz)
			return phdr;
	}
	return NULL;
}

size_t image_read(const struct image *image, uint64_t vaddr, void *to, size_t size)
{
	const Elf64_Phdr *phdr = find_segment(image, vaddr);
	uint64_t skip, left;

	if (!phdr)
		return 0;
	skip = vaddr - phdr->p_vaddr;
	left = phdr->p_filesz - skip;
	if (size > left)
		size = left;
	if (!in_file(image, phdr->p_offset, skip + size))
		return 0;
	memcpy(to, image->bytes + phdr->p_offset + skip, size);
	return size;
}

bool image_is_code(const struct image *image, uint64_t vaddr)
{
	const Elf64_Phdr *phdr = find_segment(image, vaddr);

	return phdr && phdr->p_flags & PF_X;
}

static void read_unwind(struct image *image)
{
	const Elf64_Phdr *phdr = find_phdr(image, PT_GNU_EH_FRAME);
	uint8_t head[4]; /* version, then the encodings of .eh_frame's address, the count and the
			    table */
	uint32_t entries;
	uint64_t at;

	if (!phdr || image_read(image, phdr->p_vaddr, head, sizeof(head)) != sizeof(head))
		return;
	at = phdr->p_vaddr + sizeof(head) + cfi_encoded_bytes(head[1]);
	if (head[0] != HEADER_VERSION || !cfi_encoded_bytes(head[1]) || head[3] != ENC_TABLE)
		return;
	if (head[2] != ENC_UDATA4 && head[2] != ENC_SDATA4)
		return;
	if (image_read(image, at, &entries, sizeof(entries)) != sizeof(entries))
		return;
	if (entries > image->size / 8)
		return;
	image->unwind.header = phdr->p_vaddr;
	image->unwind.table = at + sizeof(entries);
	image->unwind.entries = entries;
}

static void write_hex(const uint8_t *bytes, size_t count, char *to)
{
	for (size_t i = 0; i < count; i++)
		sprintf(to + 2 * i, "%02x", bytes[i]);
}

/* Searches the notes in [at, at + size) of the file for the build-id. */
static void scan_notes(struct image *image, uint64_t at, uint64_t size, uint64_t align)
{
	uint64_t end = at + size;
	Elf64_Nhdr note;

	while (end - at > sizeof(note)) {
		uint64_t name = at + sizeof(note);
		uint64_t text;

		memcpy(&note, image->bytes + at, sizeof(note));
		text = (name + note.n_namesz + align - 1) & -align;
		at = (text + note.n_descsz + align - 1) & -align;
		if (text + note.n_descsz > end || at > end)
			return;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
		    memcmp(image->bytes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)))
			continue;
		if (note.n_descsz <= BUILD_ID_BYTES)
			write_hex(image->bytes + text, note.n_descsz, image->build_id);
		return;
	}
}

static void read_build_id(struct image *image)
{
	for (size_t i = 0; i < image->phdrs && !image->build_id[0]; i++) {
		const Elf64_Phdr *phdr = &image->phdr[i];

		if (phdr->p_type == PT_NOTE && in_file(image, phdr->p_offset, phdr->p_filesz))
			scan_notes(image, phdr->p_offset, phdr->p_filesz,
				   phdr->p_align == 8 ? 8 : 4);
	}
}

static void image_load(struct image *image)
{
	const Elf64_Phdr *first;

	if (!image_map(image))
		return;
	if (!read_headers(image) || !(first = find_phdr(image, PT_LOAD))) {
		image_unmap(image);
		return;
	}
	image->lowest = first->p_vaddr & ~PAGE_MASK;
	read_unwind(image);
	read_build_id(image);
}

static int compare_paths(const void *one, const void *other)
{
	const struct image *left = one, *right = other;
	int order = strcmp(left->path, right->path);

	return order ? order : strcmp(left->root, right->root);
}

static struct image *image_create(const struct image *key)
{
	struct image *image = memory_get(sizeof(*image));

	image->path = text_copy(key->path);
	image->root = text_copy(key->root);
	image_load(image);
	return image;
}

static void image_destroy(void *node)
{
	AUTO_FREE struct image *image = node;

	image_unmap(image);
	free(image->path);
	free(image->root);
}

static struct image *find_image(const char *path, const char *root)
{
	struct image key = {.path = (char *)(uintptr_t)path, .root = (char *)(uintptr_t)root};
	struct image *image;
	void *node = tfind(&key, &images, compare_paths);

	if (node)
		return *(struct image **)node;
	image = image_create(&key);
	if (!tsearch(image, &images, compare_paths)) {
		image_destroy(image);
		return NULL;
	}
	return image;
}

/* `proven`: not without a sign that it is the mapped file. */
static bool is_image_of(const struct image *image, const struct module *module, bool proven)
{
	if (!image || !image->bytes)
		return false;
	if (module->build_id)
		return !strcmp(module->build_id, image->build_id);
	return !proven || (module->inode && module->inode == image->inode);
}

static struct {
	const char *build_id;
	const struct image *image;
} wanted;

static void see_image(const void *node, VISIT visit, int depth)
{
	const struct image *image = *(struct image *const *)node;

	(void)depth;
	if ((visit == preorder || visit == leaf) && image->bytes &&
	    !strncmp(image->path, "/proc/", 6) && !strcmp(image->build_id, wanted.build_id))
		wanted.image = image;
}

/* What a living process has mapped, or had when it was looked at before. */
static const struct image *deleted_image(const struct module *module)
{
	const struct image *image = module->mapped ? find_image(module->mapped, "") : NULL;

	if (image && image->bytes)
		return image;
	wanted.build_id = module->build_id;
	wanted.image = NULL;
	if (module->build_id)
		twalk(images, see_image);
	return wanted.image;
}

const struct image *module_image(const struct module *module)
{
	const char *root = module->root ? module->root : "";
	const struct image *image = NULL;

	if (image_seen)
		image_seen(module);
	if (!module->path)
		return NULL;
	if (root_is_deleted(module->path))
		return deleted_image(module);
	if (*root || !module->root)
		image = find_image(module->path, root);
	if (is_image_of(image, module, false))
		return image;
	if (module->root)
		image = find_image(module->path, "");
	return module->root && is_image_of(image, module, true) ? image : NULL;
}

void images_finish(void)
{
	tdestroy(images, image_destroy);
	images = NULL;
}

uint64_t image_bias(const struct image *image, const struct module *module)
{
	return module->base - image->lowest;
}

/* An entry of the table: both are relative to the header. */
struct unwind_row {
	int32_t function, entry;
};

void image_hide_signing(const struct image *image, uint64_t vaddr)
{
	const struct image_unwind *unwind = &image->unwind;
	uint64_t low = 0, high = unwind->entries, entry;
	const Elf64_Phdr *phdr;
	struct unwind_row row;

	while (high - low > 1) { /* the last one that begins at `vaddr` or before */
		uint64_t middle = low + (high - low) / 2;

		if (image_read(image, unwind->table + middle * sizeof(row), &row, sizeof(row)) !=
		    sizeof(row))
			return;
		if (unwind->header + (uint64_t)(int64_t)row.function <= vaddr)
			low = middle;
		else
			high = middle;
	}
	if (!high ||
	    image_read(image, unwind->table + low * sizeof(row), &row, sizeof(row)) != sizeof(row))
		return;
	entry = unwind->header + (uint64_t)(int64_t)row.entry;
	phdr = find_segment(image, entry);
	if (phdr && in_file(image, phdr->p_offset, phdr->p_filesz))
		cfi_hide_signing(image->bytes + phdr->p_offset, phdr->p_filesz,
				 entry - phdr->p_vaddr);
}

const struct image_unwind *image_unwind(const struct image *image)
{
	return &image->unwind;
}
