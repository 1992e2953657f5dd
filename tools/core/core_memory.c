/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads memory of a core: from the core file, and where that left out what is in a mapped file, from that
 * file if it is the same build.
 */
#include <string.h>

#include "../facts/facts.h"
#include "core_parts.h"

/* With which segments and mappings begin. */
struct range {
	uint64_t start, end;
};

/* The item of a sorted array that an address is in; NULL: none. */
static const void *find_at(const void *items, size_t count, size_t bytes, uint64_t address)
{
	const struct range *range = NULL;
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		range = (const void *)((const char *)items + middle * bytes);
		if (range->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	range = low ? (const void *)((const char *)items + (low - 1) * bytes) : NULL;
	return range && address < range->end ? range : NULL;
}

const struct core_segment *core_segment_at(const struct core *core, uint64_t address)
{
	return find_at(core->segments.item, core->segments.count, sizeof(*core->segments.item),
		       address);
}

const struct core_mapping *core_mapping_at(const struct core *core, uint64_t address)
{
	return find_at(core->mappings.item, core->mappings.count, sizeof(*core->mappings.item),
		       address);
}

/* What the core file has from there on, without a gap. */
static size_t read_dumped_part(const struct core *core, uint64_t from, void *to, size_t bytes)
{
	const struct core_segment *segment = core_segment_at(core, from);
	uint64_t skip = segment ? from - segment->start : 0;

	if (!segment || skip >= segment->bytes)
		return 0;
	if (bytes > segment->bytes - skip)
		bytes = (size_t)(segment->bytes - skip);
	memcpy(to, core->bytes + segment->offset + skip, bytes);
	return bytes;
}

/*
 * What a mapped file has from there on; no further than the mapping, behind which other bytes may be.
 * Writable memory that was left out may have been written.
 */
static size_t read_file_part(const struct core *core, uint64_t from, void *to, size_t bytes)
{
	const struct core_mapping *mapping = core_mapping_at(core, from);
	const struct core_segment *segment = core_segment_at(core, from);
	const struct module *module;
	const struct image *image;

	if (!mapping || mapping->module == FACT_NONE || (segment && segment->rights & PF_W))
		return 0;
	module = &core->modules.item[mapping->module].at;
	image = module_image(module);
	if (bytes > mapping->end - from)
		bytes = (size_t)(mapping->end - from);
	return image ? image_read(image, from - image_bias(image, module), to, bytes) : 0;
}

static size_t read_parts(const struct core *core, uint64_t from, void *to, size_t bytes, bool files)
{
	size_t done = 0, got;

	while (done < bytes) {
		got = read_dumped_part(core, from + done, (char *)to + done, bytes - done);
		if (!got && files)
			got = read_file_part(core, from + done, (char *)to + done, bytes - done);
		if (!got)
			break;
		done += got;
	}
	return done;
}

size_t core_read(const struct core *core, uint64_t from, void *to, size_t bytes)
{
	return read_parts(core, from, to, bytes, true);
}

size_t core_read_dumped(const struct core *core, uint64_t from, void *to, size_t bytes)
{
	return read_parts(core, from, to, bytes, false);
}
