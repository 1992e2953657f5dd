/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects mapped into a watched process, and their files.
 *
 * A module says where an object was mapped; its image is the file as it is on disk now. An image is
 * only returned if it is the mapped file (same build-id, if one was recorded).
 *
 * Glossary
 *   bias      to be subtracted from an address in the process to get the address in the file
 *   vaddr     an address in the file, as its program headers and symbols use it
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../reader/maps.h"

struct image;

/* An image's unwind table (.eh_frame_hdr); entries is 0 if it has none. */
struct image_unwind {
	uint64_t header; /* vaddr: the table's offsets are relative to it */
	uint64_t table; /* vaddr */
	uint64_t entries; /* 8 bytes each, sorted by address */
};

/*
 * The file of a module, mapped once and kept until images_finish(). NULL if it is missing, is no
 * ELF file of this machine, or is another build than the mapped one. In a container the path is below
 * the process's root, in a chroot below ours; a file of ours needs a build-id, or an inode, to tell that
 * it is the one.
 */
const struct image *module_image(const struct module *module);

/* Opens that file again; -1 on failure. */
int image_open(const struct image *image);
/* The root below which it was found; NULL: ours. */
const char *image_root(const struct image *image);

/* Is called, if set, before a module's file is opened or used: either may take for ever where a file system does not answer. */
extern void (*image_seen)(const struct module *module);

/* Forgets all images. */
void images_finish(void);

uint64_t image_bias(const struct image *image, const struct module *module);
const struct image_unwind *image_unwind(const struct image *image);

/* Copies up to `size` bytes at `vaddr` from the file's segments; returns how many. */
size_t image_read(const struct image *image, uint64_t vaddr, void *to, size_t size);

/* Makes what unwinds the function at `vaddr` readable for every libunwind: unwind/cfi_signing.h. */
void image_hide_signing(const struct image *image, uint64_t vaddr);

/* Whether `vaddr` is in an executable segment. */
bool image_is_code(const struct image *image, uint64_t vaddr);
