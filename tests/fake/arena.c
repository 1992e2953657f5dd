/*
 * Memory of this process: one sparse file without a name, mapped once, so that another process can map any part of it through
 * /proc/PID/fd. Nothing outlives those who have it open or mapped, whoever is killed when.
 *
 * The file is cut into chunks of 2 MiB. A chunk holds pieces of one power of two, or belongs to a run of chunks
 * that is one piece; what a piece is stands in private memory. All with the lock held.
 */
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "fake.h"

#define CHUNK_SHIFT 21
#define CHUNK (1ull << CHUNK_SHIFT)
#define SMALLEST 9 /* 512 bytes */
#define HEAD_PLACES ((ARENA_HEAD - sizeof(struct arena_head)) / sizeof(struct shared_place))
#define DESCRIPTORS 400 /* out of the way of programs that count on the lowest numbers */

struct chunk {
	struct piece *pieces;
	uint32_t first; /* chunk in which a piece of many begins */
	/* log2 of the pieces' bytes; CHUNK_SHIFT: a run of chunks; 0: never used or free */
	uint8_t order;
};

struct run {
	uint32_t first, count;
};

static struct arena *arenas;
static uint64_t ids;

uint64_t fake_id(void)
{
	return ++ids;
}

static bool map_arena(struct arena *arena, uint64_t bytes)
{
	int fd = memfd_create("mpsan-fake-gpu", MFD_CLOEXEC), high;

	if (fd < 0)
		return false;
	high = fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTORS);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	arena->fd = fd;
	if (ftruncate(fd, bytes) == 0) {
		arena->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
				   fd, 0);
		if (arena->base != MAP_FAILED)
			return true;
	}
	close(fd);
	return false;
}

struct arena *arena_create(uint64_t bytes)
{
	struct arena *arena = calloc(1, sizeof(*arena));

	if (!arena)
		return NULL;
	arena->chunks = bytes >> CHUNK_SHIFT;
	arena->fresh = ARENA_HEAD >> CHUNK_SHIFT;
	arena->chunk = mmap(NULL, arena->chunks * sizeof(struct chunk), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arena->chunk == MAP_FAILED || !map_arena(arena, bytes)) {
		free(arena);
		return NULL;
	}
	arena->head->magic = ARENA_MAGIC;
	arena->head->used = 1;
	if (getrandom(&arena->head->id, sizeof(arena->head->id), 0) < 0)
		arena->head->id = (uint64_t)getpid() << 32 | arena->fd;
	arena->next = arenas;
	arenas = arena;
	return arena;
}

struct arena *arena_main(void)
{
	static struct arena *arena;

	if (!arena)
		arena = arena_create(FAKE_DEVICES * FAKE_DEVICE_BYTES);
	return arena;
}

void arena_destroy(struct arena *arena)
{
	struct arena **link = &arenas;

	while (*link != arena)
		link = &(*link)->next;
	*link = arena->next;
	for (uint32_t i = 0; i < arena->fresh; i++)
		if (arena->chunk[i].first == i || arena->chunk[i].order != CHUNK_SHIFT)
			free(arena->chunk[i].pieces);
	munmap(arena->base, (uint64_t)arena->chunks << CHUNK_SHIFT);
	munmap(arena->chunk, arena->chunks * sizeof(struct chunk));
	close(arena->fd);
	free(arena->runs);
	free(arena);
}

/* Runs of free chunks, in order, neighbours joined. */

static bool add_run(struct arena *arena, uint32_t first, uint32_t count)
{
	uint32_t at = 0;
	struct run *runs = arena->runs;

	while (at < arena->run_count && runs[at].first < first)
		at++;
	if (at && runs[at - 1].first + runs[at - 1].count == first) {
		runs[at - 1].count += count;
		if (at < arena->run_count && runs[at].first == first + count) {
			runs[at - 1].count += runs[at].count;
			memmove(runs + at, runs + at + 1,
				(--arena->run_count - at) * sizeof(*runs));
		}
		return true;
	}
	if (at < arena->run_count && runs[at].first == first + count) {
		runs[at].first = first;
		runs[at].count += count;
		return true;
	}
	if (arena->run_count == arena->run_room) {
		arena->run_room = arena->run_room ? 2 * arena->run_room : 64;
		runs = arena->runs = realloc(runs, arena->run_room * sizeof(*runs));
		if (!runs)
			abort();
	}
	memmove(runs + at + 1, runs + at, (arena->run_count++ - at) * sizeof(*runs));
	runs[at] = (struct run){first, count};
	return true;
}

/* First of so many chunks in a row; 0: there are none. */
static uint32_t take_chunks(struct arena *arena, uint32_t count)
{
	struct run *runs = arena->runs;
	uint32_t first;

	for (uint32_t at = 0; at < arena->run_count; at++) {
		if (runs[at].count < count)
			continue;
		first = runs[at].first;
		runs[at].first += count;
		runs[at].count -= count;
		if (!runs[at].count)
			memmove(runs + at, runs + at + 1,
				(--arena->run_count - at) * sizeof(*runs));
		return first;
	}
	if (arena->chunks - arena->fresh < count)
		return 0;
	first = arena->fresh;
	arena->fresh += count;
	return first;
}

/* Pieces */

static uint64_t chunk_address(const struct arena *arena, uint32_t chunk)
{
	return (uint64_t)(uintptr_t)arena->base + ((uint64_t)chunk << CHUNK_SHIFT);
}

static struct piece *take_run(struct arena *arena, uint64_t bytes)
{
	uint32_t count = (bytes + CHUNK - 1) >> CHUNK_SHIFT, first = take_chunks(arena, count);
	struct piece *piece = first ? calloc(1, sizeof(*piece)) : NULL;

	if (!piece)
		return NULL;
	for (uint32_t i = first; i < first + count; i++)
		arena->chunk[i] = (struct chunk){piece, first, CHUNK_SHIFT};
	*piece = (struct piece){.start = chunk_address(arena, first), .order = CHUNK_SHIFT};
	return piece;
}

/* Cuts a new chunk into pieces and enters them into the list of free ones. */
static bool cut_chunk(struct arena *arena, unsigned order)
{
	uint32_t number = take_chunks(arena, 1), count = CHUNK >> order;
	struct piece *pieces = number ? calloc(count, sizeof(*pieces)) : NULL;

	if (!pieces)
		return false;
	arena->chunk[number] = (struct chunk){pieces, number, order};
	for (uint32_t i = count; i-- > 0;) {
		pieces[i] = (struct piece){.start = chunk_address(arena, number) +
						    ((uint64_t)i << order),
					   .order = order,
					   .next = arena->lists[order]};
		arena->lists[order] = (number << (CHUNK_SHIFT - SMALLEST)) + i;
	}
	return true;
}

static struct piece *listed(struct arena *arena, uint32_t name)
{
	uint32_t each = 1u << (CHUNK_SHIFT - SMALLEST);

	return &arena->chunk[name / each].pieces[name % each];
}

struct piece *arena_take(struct arena *arena, uint64_t bytes)
{
	unsigned order = bytes <= 1u << SMALLEST ? SMALLEST : 64 - __builtin_clzll(bytes - 1);
	struct piece *piece;

	if (bytes > (uint64_t)arena->chunks << CHUNK_SHIFT)
		return NULL;
	if (order >= CHUNK_SHIFT) {
		piece = take_run(arena, bytes);
	} else {
		if (!arena->lists[order] && !cut_chunk(arena, order))
			return NULL;
		piece = listed(arena, arena->lists[order]);
		arena->lists[order] = piece->next;
	}
	if (piece) {
		piece->bytes = bytes;
		piece->id = fake_id();
		piece->shared = 0;
	}
	return piece;
}

void arena_give(struct arena *arena, struct piece *piece)
{
	uint64_t offset = piece->start - (uint64_t)(uintptr_t)arena->base, length;
	uint32_t number = offset >> CHUNK_SHIFT, count;

	if (piece->shared)
		arena_unshare(arena, piece->shared);
	piece->kind = PIECE_FREE;
	if (piece->order < CHUNK_SHIFT) {
		piece->next = arena->lists[piece->order];
		arena->lists[piece->order] = (number << (CHUNK_SHIFT - SMALLEST)) +
					     ((offset & (CHUNK - 1)) >> piece->order);
		return;
	}
	length = (piece->bytes + CHUNK - 1) & ~(CHUNK - 1);
	count = length >> CHUNK_SHIFT;
	fallocate(arena->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
	memset(arena->chunk + number, 0, count * sizeof(struct chunk));
	free(piece);
	add_run(arena, number, count);
}

struct piece *arena_find(uint64_t address, struct arena **found)
{
	for (struct arena *arena = arenas; arena; arena = arena->next) {
		uint64_t offset = address - (uint64_t)(uintptr_t)arena->base;
		struct chunk *chunk = arena->chunk + (offset >> CHUNK_SHIFT);
		struct piece *piece;

		if (offset >> CHUNK_SHIFT >= arena->fresh || !chunk->order)
			continue;
		piece = chunk->order == CHUNK_SHIFT ?
				chunk->pieces :
				&chunk->pieces[(offset & (CHUNK - 1)) >> chunk->order];
		if (piece->kind == PIECE_FREE || address - piece->start >= piece->bytes)
			return NULL;
		if (found)
			*found = arena;
		return piece;
	}
	return NULL;
}

void arena_each(struct arena *arena, void (*visit)(struct arena *, struct piece *, void *),
		void *with)
{
	for (uint32_t i = 0; i < arena->fresh; i++) {
		struct chunk *chunk = arena->chunk + i;
		uint32_t count = chunk->order && chunk->order < CHUNK_SHIFT ?
					 CHUNK >> chunk->order :
					 chunk->order && chunk->first == i;

		for (uint32_t j = 0; j < count && chunk->order; j++)
			if (chunk->pieces[j].kind != PIECE_FREE)
				visit(arena, &chunk->pieces[j], with);
	}
}

struct arena *arena_next(struct arena *after)
{
	return after ? after->next : arenas;
}

/* What other processes may open. The list of free places goes through their values. */

uint32_t arena_share(struct arena *arena, uint64_t id)
{
	uint32_t place = arena->free_place;

	if (place)
		arena->free_place = arena->head->places[place].value;
	else if (arena->head->used < HEAD_PLACES)
		place = arena->head->used++;
	else
		return 0;
	arena->head->places[place].value = 0;
	__atomic_store_n(&arena->head->places[place].id, id, __ATOMIC_RELEASE);
	return place;
}

void arena_unshare(struct arena *arena, uint32_t place)
{
	__atomic_store_n(&arena->head->places[place].id, 0, __ATOMIC_RELEASE);
	arena->head->places[place].value = arena->free_place;
	arena->free_place = place;
}
