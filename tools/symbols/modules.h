/*
 * The objects mapped into a watched process, and the files behind them.
 *
 * A module says where an object lay; its image is the file as it is on disk now. An image is only
 * given out when it is the file that was mapped (same build-id, where one was recorded).
 *
 * Glossary
 *   bias      what must be subtracted from an address in the process to get the address in the file
 *   vaddr     an address in the file, as its program headers and symbols use it
 */
#ifndef MPSAN_MODULES_H
#define MPSAN_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../reader/maps.h"

struct image;

/* Where an image's unwind table lies (.eh_frame_hdr); entries is 0 when it has none. */
struct image_unwind {
	uint64_t header; /* vaddr: the table's offsets are relative to it */
	uint64_t table; /* vaddr */
	uint64_t entries; /* 8 bytes each, sorted by address */
};

/*
 * Opens a module's file for reading, or returns -1. Never waits: a log may name a FIFO. Paths are
 * taken as they stand: what a program in another mount namespace or directory had is only found
 * where the two agree. A name without a slash is no path (the vdso).
 */
int module_open(const char *path);

/*
 * The file of a module, mapped once and kept until images_finish(). NULL when it is gone, is no ELF
 * file of this machine, or is another build than the one that was mapped.
 */
const struct image *module_image(const struct module *module);

/* Forgets all images. */
void images_finish(void);

uint64_t image_bias(const struct image *image, const struct module *module);
const struct image_unwind *image_unwind(const struct image *image);

/* Copies up to `size` bytes at `vaddr` from the file's segments; returns how many there were. */
size_t image_read(const struct image *image, uint64_t vaddr, void *to, size_t size);

/* Is `vaddr` in a segment that can be executed? */
bool image_is_code(const struct image *image, uint64_t vaddr);

#endif
