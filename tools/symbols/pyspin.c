/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples a thread that runs. A loop that only tests is a machine with few states: wherever it is seen, its variables have
 * values that they had there before. One that computes has a counter, a sum or an iterator that never comes back.
 */
#include "pyspin.h"

#include <time.h>

#include "../../shim/common/cpython/taker.h"
#include "../../shim/common/hash.h"

#define DEPTH 48u /* frames of a thread; more are not looked at */
#define CHAINS 16u /* samples by which the frame of the loop is found */
#define SAMPLES 192u
#define FIRST 48u /* after which most threads that compute are known to */
#define STATES 8u /* samples of all that the loop's variables lead to */
#define STATES_MOST 3u /* different ones: a lock that is tried is taken, and free */
#define TORN 4u /* samples in which the frames were in motion, */
#define TORN_SHARE 8u /* and one of as many */
#define PAUSE_NS 20000 /* between two samples; longer while the thread has no processor, */
#define PAUSE_MOST_NS 1000000
#define PAUSES_NS 100000000 /* in all */
#define POOL 1024u /* samples of a loop, of all looks at it, */
#define POOL_NEWS 8u /* and different values there: one that tests has half as many */
#define FRESH 16u /* samples between which it has run, at least */
#define NEWS 4u /* different values at a place, if more than half of the samples are new there */
#define SHARE 16u /* of so many and one, for a call that takes nearly all the time */
#define STAND 16u /* samples in a row that are the same: more are of one that does not run */
#define YIELDS 8u /* samples, all but one of which are in sched_yield() */
#define STRANGE 8u /* one of as many samples may be new where it was before */
#define WORDS 64u /* of a frame */
#define OBJECTS 1024u /* that a state has */
#define PARTS 32u /* of an object */
#define ARRAY_DATA 16 /* numpy's PyArrayObject_fields.data, */
#define ARRAY_COUNT 24 /* its nd, */
#define ARRAY_DIMENSIONS 32 /* and dimensions: */
#define DIMENSIONS 32u /* so many at most */
#define PIECES 16u /* of its memory, over all of it, */
#define PIECE 4096u /* bytes long */

/* The frames of a thread, innermost first. */
struct chain {
	unsigned count;
	struct frame frame[DEPTH];
};

static bool chain_read(const struct cpython *py, uint64_t at, struct chain *chain)
{
	struct state state;
	struct walk walk;

	chain->count = 0;
	if (!state_read(py, &state, at))
		return false;
	walk_open(&walk, py, state.frame);
	while (chain->count < DEPTH && walk_step(&walk, &chain->frame[chain->count]))
		chain->count += !frame_is_of_c(&chain->frame[chain->count]);
	return chain->count && !walk.next;
}

static const struct frame *outer(const struct chain *chain, unsigned i)
{
	return &chain->frame[chain->count - 1 - i];
}

/* The pauses between the samples of a look. */
struct pace {
	long ns, passed_ns;
};

/* `moved`: it is not where it was. */
static void pause_at(struct pace *pace, bool moved)
{
	pace->ns = moved || pace->passed_ns >= PAUSES_NS ? PAUSE_NS : 2 * pace->ns;
	pace->ns = pace->ns < PAUSE_MOST_NS ? pace->ns : PAUSE_MOST_NS;
	pace->passed_ns += pace->ns;
	nanosleep(&(struct timespec){.tv_nsec = pace->ns}, NULL);
}

/* How many frames, from the outermost one on, are always there, each but the last in the same call. 0: unknown. */
static unsigned common_frames(const struct cpython *py, uint64_t at, struct chain *first,
			      struct pace *pace)
{
	struct chain chain;
	unsigned common, i;
	bool moved = true;
	long instr;

	for (i = 0; !chain_read(py, at, first); i++)
		if (i == TORN)
			return 0;
	common = first->count;
	instr = first->frame[0].instr;
	for (unsigned n = 1; n < CHAINS && common; n++) {
		pause_at(pace, moved);
		if (!chain_read(py, at, &chain))
			continue;
		moved = chain.frame[0].instr != instr;
		instr = chain.frame[0].instr;
		common = common < chain.count ? common : chain.count;
		for (i = 0; i < common; i++) {
			const struct frame *one = outer(first, i), *other = outer(&chain, i);

			if (one->at != other->at || one->code != other->code)
				common = i;
			else if (one->instr != other->instr)
				common = i + 1;
		}
	}
	return common;
}

/* ---- objects ---- */

/*
 * Its type, and what most objects keep first: a number, a size, a position. Not its reference count, nor its address: equal
 * ones may be made again and again.
 */
static uint64_t add_object(const struct cpython *py, uint64_t hash, uint64_t object)
{
	uint64_t word[3] = {0};

	if (!object || object == py->none || object & 7 ||
	    !cpython_peek(py, word, object + py->at.object_type, sizeof(word)))
		return hash_add(hash, object);
	for (unsigned i = 0; i < 3; i++)
		hash = hash_add(hash, word[i]);
	return hash;
}

/* The variables of a frame, and, if wanted, what its value stack has or had. */
static unsigned variables_of(const struct cpython *py, struct frame *frame, uint64_t value[WORDS],
			     bool stack)
{
	unsigned variables, count;

	if (!frame_read_code(py, frame))
		return 0;
	count = cpython_values(py, frame, &variables);
	count = stack ? count : variables;
	count = count < WORDS ? count : WORDS;
	if (!cpython_peek(py, value, frame->locals, 8ull * count))
		return 0;
	for (unsigned i = 0; i < count; i++)
		value[i] = frame_untagged(py, value[i]);
	return count;
}

/* What an object leads to: attributes, and the items of lists and dictionaries. */
static unsigned parts_of(const struct cpython *py, uint64_t object, uint64_t part[PARTS])
{
	if (!object || object & 7 || cpython_type(py, object) == py->type_type ||
	    cpython_is_a(py, object, "module"))
		return 0;
	if (cpython_is_a(py, object, "list"))
		return cpython_list_items(py, object, part, PARTS);
	if (cpython_is_a(py, object, "dict"))
		return cpython_dict_values(py, object, part, PARTS);
	if (cpython_is_a(py, object, "cell")) {
		part[0] = cpython_member(py, object, CPYTHON_SIZE);
		return 1;
	}
	return cpython_attribute_values(py, object, part, PARTS);
}

/* What an array of numpy has, which a function of numpy may change in place. */
static uint64_t add_array(const struct cpython *py, uint64_t hash, uint64_t array)
{
	uint64_t dimension[DIMENSIONS], word[PIECE / 8], bytes = 8;
	uint64_t at = cpython_member(py, array, ARRAY_DATA);
	unsigned count = (uint32_t)cpython_member(py, array, ARRAY_COUNT);

	if (count > DIMENSIONS ||
	    !cpython_peek(py, dimension, cpython_member(py, array, ARRAY_DIMENSIONS), 8ull * count))
		return hash;
	for (unsigned i = 0; i < count && dimension[i] < 1ull << 32 && bytes < 1ull << 31; i++)
		bytes *= dimension[i];
	for (unsigned i = 0; i < PIECES; i++)
		if (cpython_peek(py, word, at + bytes / PIECES * i, sizeof(word)))
			hash = hash_bytes(hash, word, sizeof(word));
	return hash;
}

static uint64_t add_all(const struct cpython *py, uint64_t hash, uint64_t object, unsigned depth,
			unsigned *left)
{
	uint64_t part[PARTS];
	unsigned count;

	if (!*left)
		return hash;
	--*left;
	hash = add_object(py, hash, object);
	if (object && !(object & 7) && cpython_is_a(py, object, "ndarray"))
		hash = add_array(py, hash, object);
	count = depth ? parts_of(py, object, part) : 0;
	for (unsigned i = 0; i < count; i++)
		hash = add_all(py, hash, part[i], depth - 1, left);
	return hash;
}

/* All that the variables of a loop's frame lead to, and the names of its module. */
static uint64_t state_of(const struct cpython *py, struct frame *frame)
{
	uint64_t value[WORDS], names[OBJECTS], hash = HASH_EMPTY;
	unsigned left = OBJECTS, count = variables_of(py, frame, value, false);

	for (unsigned i = 0; i < count; i++)
		hash = add_all(py, hash, value[i], 3, &left);
	count = cpython_dict_values(py, cpython_peek_word(py, frame->at + py->at.frame_globals),
				    names, OBJECTS / 2);
	for (unsigned i = 0; i < count; i++)
		hash = add_object(py, hash, names[i]);
	for (unsigned i = 0; i < count; i++)
		hash = add_all(py, hash, names[i], 2, &left);
	return hash;
}

/* ---- samples ---- */

struct samples {
	unsigned count, torn, fresh, states, own;
	bool is_again
		[SAMPLES]; /* as the one before: it may not have run in between; else `fresh` */
	bool is_own[SAMPLES]; /* the loop's frame was the innermost one: `own` of them */
	uint64_t place[SAMPLES], values[SAMPLES], state[STATES];
};

/*
 * Where the thread is, from the loop's frame inwards, and with which values. Callees come and go: their value stacks have
 * what others left there.
 */
static void add_sample(const struct cpython *py, struct samples *samples, struct chain *chain,
		       unsigned common)
{
	uint64_t place = HASH_EMPTY, values = HASH_EMPTY, value[WORDS];
	bool again;

	for (unsigned i = 0; i < chain->count - common + 1; i++) {
		struct frame *frame = &chain->frame[i];
		unsigned count = variables_of(py, frame, value, i == chain->count - common);

		place = hash_add(hash_add(place, frame->code), (uint64_t)frame->instr);
		for (unsigned k = 0; k < count; k++)
			values = add_object(py, values, value[k]);
	}
	again = samples->count && samples->place[samples->count - 1] == place &&
		samples->values[samples->count - 1] == values;
	samples->is_again[samples->count] = again;
	samples->fresh += !again;
	samples->is_own[samples->count] = chain->count == common;
	samples->own += chain->count == common;
	samples->place[samples->count] = place;
	samples->values[samples->count++] = values;
}

static void take_samples(const struct cpython *py, uint64_t at, const struct frame *loop,
			 unsigned common, struct samples *samples, unsigned most, struct pace *pace)
{
	struct chain chain;

	while (samples->count < most && samples->torn <= TORN + samples->count / TORN_SHARE) {
		pause_at(pace, !samples->count || !samples->is_again[samples->count - 1]);
		if (chain_read(py, at, &chain) && chain.count >= common &&
		    outer(&chain, common - 1)->at == loop->at &&
		    outer(&chain, common - 1)->code == loop->code) {
			if (samples->count % (SAMPLES / STATES) == 0)
				samples->state[samples->states++] =
					state_of(py, &chain.frame[chain.count - common]);
			add_sample(py, samples, &chain, common);
		} else {
			samples->torn++;
		}
	}
}

static unsigned count_of(const uint64_t *item, unsigned count, uint64_t wanted)
{
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++)
		found += item[i] == wanted;
	return found;
}

/* The fresh samples at a place, and how many have values that none before had there. */
static unsigned fresh_at(const struct samples *samples, uint64_t place, unsigned *news)
{
	unsigned fresh = 0;

	*news = 0;
	for (unsigned i = 0; i < samples->count; i++) {
		bool is_new = true;

		if (samples->place[i] != place || samples->is_again[i])
			continue;
		for (unsigned k = 0; is_new && k < i; k++)
			is_new = samples->place[k] != place ||
				 samples->values[k] != samples->values[i];
		fresh++;
		*news += is_new;
	}
	return fresh;
}

/* Whether there is nothing new where it was before. In a frame that is being made there may be anything, for a moment. */
static bool repeats(const struct samples *samples)
{
	unsigned strange = 0, news;

	for (unsigned i = 0; i < samples->count; i++) {
		unsigned fresh = fresh_at(samples, samples->place[i], &news);

		if (samples->is_again[i] || news < NEWS || news * 2 <= fresh + 1)
			continue;
		if (samples->is_own[i])
			return false;
		strange++;
	}
	return strange * STRANGE <= samples->fresh;
}

/* Whether it is at one place nearly always: a call that computes. */
static bool stays(const struct samples *samples)
{
	uint64_t place[SAMPLES];
	unsigned count = 0, most = 0, row = 0, all;

	for (unsigned i = 0; i < samples->count; i++) {
		row = samples->is_again[i] ? row + 1 : 0;
		if (row < STAND)
			place[count++] = samples->place[i];
	}
	for (unsigned i = 0; i < count; i++) {
		all = count_of(place, count, place[i]);
		most = all > most ? all : most;
	}
	return most * (SHARE + 1) > count * SHARE;
}

static bool is_yield(const struct cpython *py, uint64_t object)
{
	return object && !(object & 7) && cpython_is_a(py, object, "builtin_function_or_method") &&
	       cpython_method_is(py, cpython_member(py, object, CPYTHON_METHOD), "sched_yield");
}

/* Whether that call only lets others run: what is called is on the value stack. */
static bool yields(const struct cpython *py, uint64_t at)
{
	struct pace pace = {0};
	uint64_t value[WORDS];
	struct chain chain;
	unsigned found = 0;

	for (unsigned n = 0; n < YIELDS; n++) {
		unsigned count, i = 0;

		pause_at(&pace, true);
		if (!chain_read(py, at, &chain))
			continue;
		count = variables_of(py, &chain.frame[0], value, true);
		while (i < count && !is_yield(py, value[i]))
			i++;
		found += i < count;
	}
	return found + 1 >= YIELDS;
}

/* A state of all that the loop's variables lead to, always the same one if a lock is taken and released between; 0: it changes. */
static uint64_t least_state(const struct samples *samples)
{
	uint64_t least = samples->state[0];
	unsigned different = 0;

	for (unsigned i = 0; i < samples->states; i++) {
		different += !count_of(samples->state, i, samples->state[i]);
		least = samples->state[i] < least ? samples->state[i] : least;
	}
	return different <= STATES_MOST ? least : 0;
}

/* The frame of the loop, and those around it. */
static uint64_t place_of(const struct chain *chain, unsigned common)
{
	uint64_t place = HASH_EMPTY;

	for (unsigned i = 0; i < common; i++) {
		place = hash_add(hash_add(place, outer(chain, i)->at), outer(chain, i)->code);
		if (i + 1 < common)
			place = hash_add(place, (uint64_t)outer(chain, i)->instr);
	}
	return place;
}

/* Samples of the loop's own frame, of all looks at it: what is rare there is new each time, such as the time of a clock. */
static struct {
	uint64_t loop;
	unsigned count;
	uint64_t place[POOL], values[POOL];
} pool;

static void pool_add(const struct samples *samples, uint64_t loop)
{
	if (pool.loop != loop)
		pool.count = 0;
	pool.loop = loop;
	for (unsigned i = 0; i < samples->count && pool.count < POOL; i++) {
		if (!samples->is_own[i] || samples->is_again[i])
			continue;
		pool.place[pool.count] = samples->place[i];
		pool.values[pool.count++] = samples->values[i];
	}
}

static bool pool_repeats(void)
{
	for (unsigned i = 0; i < pool.count; i++) {
		uint64_t values[POOL];
		unsigned count = 0, news = 0;

		if (count_of(pool.place, i, pool.place[i]))
			continue;
		for (unsigned k = i; k < pool.count; k++) {
			if (pool.place[k] != pool.place[i])
				continue;
			news += !count_of(values, count, pool.values[k]);
			values[count++] = pool.values[k];
		}
		if (news >= POOL_NEWS)
			return false;
	}
	return true;
}

struct pyspin pyspin_look(const struct cpython *py, uint64_t state)
{
	struct samples samples = {0};
	struct pyspin spin = {0};
	struct pace pace = {0};
	struct chain chain;
	unsigned common = common_frames(py, state, &chain, &pace);
	uint64_t least;

	for (unsigned most = FIRST; common && most <= SAMPLES; most += most) {
		take_samples(py, state, outer(&chain, common - 1), common, &samples, most, &pace);
		spin.computes = !repeats(&samples);
		if (spin.computes)
			return spin;
	}
	if (samples.count < SAMPLES)
		return spin;
	least = least_state(&samples);
	spin.computes = !least || !samples.own;
	spin.yields = yields(py, state);
	if (spin.computes || (!spin.yields && (samples.fresh < FRESH || stays(&samples))))
		return spin;
	spin.loop = hash_add(place_of(&chain, common), least);
	pool_add(&samples, spin.loop);
	spin.computes = !pool_repeats();
	return spin;
}
