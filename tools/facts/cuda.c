/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relates CUDA memory events in the order of time: which allocation a handle meant, which are open,
 * which were freed. Hash lists keep each step short. Neighbours: cuda.h, ipc.c.
 */
#include "cuda.h"

#include <stddef.h>

#define EARLY_MAX 64u /* imports logged before their export */
#define LOOK_MAX 4096u /* list entries examined per query */

static uint32_t list_of(uint32_t slot, uint64_t value)
{
	return (uint32_t)((value ^ (uint64_t)slot << 48) * 0x9e3779b97f4a7c15ull >> 48);
}

_Static_assert(CUDA_LISTS == 1u << (64 - 48), "a hash is the number of a list");

void cuda_enter_init(struct cuda_facts *cuda)
{
	uint32_t last = cuda->init_count;
	struct cuda_party *party = &cuda->parties[cuda->inits[last - 1].at.by];

	if (!party->init)
		party->init = last;
}

static bool is_alive(const struct ipc_piece *piece)
{
	return !piece->end_ns;
}

/* The owner's live allocation with this base and handle. */
static struct ipc_piece *find_own(const struct cuda_facts *cuda, uint32_t owner, uint64_t base,
				  uint64_t handle)
{
	uint32_t at = cuda->base_lists[list_of(owner, base)];

	for (uint32_t work = LOOK_MAX; at && work; at = cuda->pieces[at - 1].base_before, work--) {
		struct ipc_piece *piece = &cuda->pieces[at - 1];

		if (piece->owner == owner && piece->base == base && piece->handle == handle &&
		    is_alive(piece))
			return piece;
	}
	return NULL;
}

/* The newest allocation with this handle, freed or not: handles are reused. */
static uint32_t find_handle(const struct cuda_facts *cuda, uint64_t handle)
{
	uint32_t at = cuda->handle_lists[list_of(0, handle)];

	while (at && cuda->pieces[at - 1].handle != handle)
		at = cuda->pieces[at - 1].handle_before;
	return at;
}

static struct ipc_piece *begin_piece(struct cuda_facts *cuda, struct ipc_piece begun)
{
	uint32_t *by_handle = &cuda->handle_lists[list_of(0, begun.handle)];
	uint32_t *by_base = &cuda->base_lists[list_of(begun.owner, begun.base)];
	struct cuda_party *party = &cuda->parties[begun.owner];

	begun.handle_before = *by_handle;
	begun.base_before = *by_base;
	begun.party_before = party->pieces;
	cuda->pieces[cuda->piece_count++] = begun;
	*by_handle = *by_base = party->pieces = cuda->piece_count;
	return &cuda->pieces[cuda->piece_count - 1];
}

static bool is_waited_for(const struct ipc_piece *piece)
{
	return piece->by_export && !piece->opens && is_alive(piece);
}

static uint32_t *open_list(const struct cuda_facts *cuda, uint32_t by, uint64_t handle)
{
	return &cuda->open_lists[list_of(by, handle)];
}

static uint32_t find_open(const struct cuda_facts *cuda, const struct ipc_import *import,
			  uint32_t piece)
{
	uint32_t at = *open_list(cuda, import->at.by, import->ev.handle);

	for (uint32_t work = LOOK_MAX; at && work; at = cuda->imports[at - 1].open_before, work--) {
		const struct ipc_import *other = &cuda->imports[at - 1];

		if (other->at.by == import->at.by && other->piece == piece)
			return at;
	}
	return 0;
}

/*
 * Opens `of` for import index + 1, which is not in the list of open imports yet, or has no
 * allocation there.
 */
static void open_piece(struct cuda_facts *cuda, uint32_t index, uint32_t of)
{
	struct ipc_import *import = &cuda->imports[index - 1];
	struct ipc_piece *piece = &cuda->pieces[of - 1];

	if (is_waited_for(piece))
		cuda->parties[piece->owner].waiting--;
	piece->opens++;
	import->again = find_open(cuda, import, of);
	import->piece = of;
	import->before = piece->imports;
	piece->imports = index;
	import->signalled = cuda->parties[piece->owner].event_ns > piece->born_ns;
}

/*
 * Another process may open a handle before its export is logged: the handle is visible in shared
 * memory while the exporting call still runs.
 */
static void open_early(struct cuda_facts *cuda, const struct ipc_export *export, uint32_t of)
{
	uint32_t last = cuda->import_count, first = last > EARLY_MAX ? last - EARLY_MAX : 0;

	for (uint32_t i = first; i < last; i++) {
		const struct ipc_import *import = &cuda->imports[i];

		if (export->ev.handle && !import->piece && import->ev.handle == export->ev.handle &&
		    import->at.time_ns >= export->at.time_ns)
			open_piece(cuda, i + 1, of);
	}
}

void cuda_enter_export(struct cuda_facts *cuda)
{
	struct ipc_export *export = &cuda->exports[cuda->export_count - 1];
	const struct ev_ipc_export *ev = &export->ev;
	struct ipc_piece *piece = find_own(cuda, export->at.by, ev->base, ev->handle);
	struct cuda_party *party = &cuda->parties[export->at.by];

	if (!piece)
		piece = begin_piece(cuda, (struct ipc_piece){.owner = export->at.by,
							     .handle = ev->handle,
							     .base = ev->base,
							     .bytes = ev->bytes,
							     .gpu = ev->gpu,
							     .memory = ev->memory,
							     .device = ev->device,
							     .flags = ev->flags,
							     .born_ns = export->at.time_ns});
	if (!piece->by_export) {
		piece->by_export = cuda->export_count;
		party->waiting += is_waited_for(piece);
	}
	piece->exports++;
	export->piece = (uint32_t)(piece - cuda->pieces);
	open_early(cuda, export, export->piece + 1);
	export->waiting = party->waiting;
}

/* An entry of the registry of exports counts as an export. */
static uint32_t piece_of_registry(struct cuda_facts *cuda, const struct ipc_import *import)
{
	const struct ev_ipc_open *ev = &import->ev;
	uint32_t owner = (uint32_t)ev->owner_slot - 1;
	struct ipc_piece *piece = find_own(cuda, owner, ev->owner_base, ev->handle);

	if (!piece || (!piece->by_export && piece->born_ns != ev->owner_born))
		piece = begin_piece(cuda, (struct ipc_piece){.owner = owner,
							     .by_import = cuda->import_count,
							     .handle = ev->handle,
							     .base = ev->owner_base,
							     .bytes = ev->bytes,
							     .gpu = ev->gpu,
							     .memory = ev->memory,
							     .device = ev->device,
							     .flags = MPSAN_IPC_AUTO,
							     .born_ns = ev->owner_born});
	return (uint32_t)(piece - cuda->pieces) + 1;
}

void cuda_enter_import(struct cuda_facts *cuda)
{
	struct ipc_import *import = &cuda->imports[cuda->import_count - 1];
	struct cuda_party *party = &cuda->parties[import->at.by];
	uint32_t *list = open_list(cuda, import->at.by, import->ev.handle);
	uint32_t of = import->ev.owner_slot ? piece_of_registry(cuda, import) :
					      find_handle(cuda, import->ev.handle);

	if (of)
		open_piece(cuda, cuda->import_count, of);
	import->party_before = party->imports;
	party->imports = cuda->import_count;
	if (import->ev.result)
		return;
	if (!import->ev.handle && !import->ev.owner_slot && cuda->nameless_ns < import->at.time_ns)
		cuda->nameless_ns = import->at.time_ns;
	party->counts |= import->again && import->ev.memory == MPSAN_MEMORY_DEVICE &&
			 !(import->ev.flags & MPSAN_IPC_AUTO);
	import->open_before = *list;
	*list = cuda->import_count;
}

void cuda_enter_close(struct cuda_facts *cuda, const struct fact_place *at,
		      const struct ev_ipc_close *ev)
{
	uint32_t *from = open_list(cuda, at->by, ev->handle);

	for (; *from; from = &cuda->imports[*from - 1].open_before) {
		struct ipc_import *import = &cuda->imports[*from - 1];

		if (import->at.by != at->by || import->ev.handle != ev->handle ||
		    (import->ev.address != ev->address && import->ev.address && ev->address))
			continue;
		import->close_ns = at->time_ns;
		*from = import->open_before;
		return;
	}
}

/* One free may end several entries: the same memory exported under several handles. */
static void end_piece(struct cuda_facts *cuda, struct ipc_free *end, uint32_t index)
{
	struct ipc_piece *piece = &cuda->pieces[index - 1];

	if (is_waited_for(piece))
		cuda->parties[piece->owner].waiting--;
	piece->freed = cuda->free_count;
	piece->end_ns = end->at.time_ns;
	piece->free_more = end->piece;
	end->piece = index;
}

/*
 * Ends what begins at an address; memory without an address (base 0) is identified by its handle. A
 * free is logged after it happened, when another thread may have got the same address already, so
 * allocations younger than the free stay.
 */
static void end_at_base(struct cuda_facts *cuda, struct ipc_free *end, uint64_t born_ns)
{
	uint32_t *from = &cuda->base_lists[list_of(end->at.by, end->ev.base)];

	while (*from) {
		struct ipc_piece *piece = &cuda->pieces[*from - 1];

		if (piece->owner == end->at.by && piece->base == end->ev.base &&
		    piece->born_ns <= born_ns) {
			if (is_alive(piece))
				end_piece(cuda, end, *from);
			*from = piece->base_before; /* freed ones need not be found here */
		} else {
			from = &piece->base_before;
		}
	}
}

void cuda_enter_free(struct cuda_facts *cuda)
{
	struct ipc_free *end = &cuda->frees[cuda->free_count - 1];
	uint32_t at = end->ev.handle ? find_handle(cuda, end->ev.handle) : 0;

	if (at && cuda->pieces[at - 1].owner != end->at.by)
		at = 0;
	if (end->ev.base)
		end_at_base(cuda, end, at ? cuda->pieces[at - 1].born_ns : UINT64_MAX);
	if (at && is_alive(&cuda->pieces[at - 1]))
		end_piece(cuda, end, at);
}

void cuda_enter_event(struct cuda_facts *cuda)
{
	struct ipc_event *event = &cuda->events[cuda->event_count - 1];
	struct cuda_party *party = &cuda->parties[event->at.by];

	event->before = party->events;
	if (event->ev.made > party->events)
		party->events = (uint32_t)event->ev.made;
	if (!event->ev.made)
		party->event_ns = event->at.time_ns;
}
