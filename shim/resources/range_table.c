/* SPDX-License-Identifier: Apache-2.0 */
/* Creates a table of ranges at its first use. */
#include "range_table.h"

#include <stddef.h>
#include <sys/mman.h>

#include "../intercept/sys.h"

struct ranges *range_table(struct ranges **table, uint64_t places, uint64_t place_bytes)
{
	struct ranges *known = __atomic_load_n(table, __ATOMIC_ACQUIRE), *made;
	uint64_t bytes = ranges_bytes(places, place_bytes);

	if (known)
		return known;
	made = sys_map(bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!made)
		return NULL;
	ranges_init(made, places, place_bytes);
	if (__atomic_compare_exchange_n(table, &known, made, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return made;
	SYS2(SYS_munmap, made, bytes);
	return known;
}
