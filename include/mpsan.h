/*
 * What a program may tell mpsan about itself. A program built with this header runs unchanged without the
 * library: each call looks whether the library is there and does nothing when it is not.
 *
 * The calls only note facts. They never fail, block, allocate or change errno, and may be made from any
 * thread and from signal handlers. Strings are copied at once.
 */
#ifndef MPSAN_H
#define MPSAN_H

#ifdef MPSAN_LIBRARY

/* The library itself: the names below are functions that it defines. */
#define MPSAN_API(name, parameters, arguments) void name parameters;

#elif defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))

/*
 * A plain weak reference would do in position-independent programs; in others the linker settles it to
 * "absent" for good and nobody is told. So the address is read from the global offset table by hand, which
 * the loader fills in both. The inline functions bear other names than the entries, since they may be
 * emitted as local symbols.
 */
#ifdef __x86_64__
#define MPSAN_ENTRY(name, entry) \
	__asm__(".weak " name "\n\tmovq " name "@GOTPCREL(%%rip), %0" : "=r"(entry))
#else
#define MPSAN_ENTRY(name, entry)                                                                \
	__asm__(".weak " name "\n\tadrp %0, :got:" name "\n\tldr %0, [%0, #:got_lo12:" name "]" \
		: "=r"(entry))
#endif

#define MPSAN_API(name, parameters, arguments)        \
	static inline void name##_if_there parameters \
	{                                             \
		void(*mpsan_entry) parameters;        \
                                                      \
		MPSAN_ENTRY(#name, mpsan_entry);      \
		if (mpsan_entry)                      \
			mpsan_entry arguments;        \
	}

#else

#define MPSAN_API(name, parameters, arguments)        \
	static inline void name##_if_there parameters \
	{                                             \
	}

#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Names a lock in reports, in place of a symbol or an address. Call it after the lock was initialised and
 * again when memory is used for another lock. The name also serves in suppressions.
 */
MPSAN_API(mpsan_lock_name, (const void *lock, const char *name), (lock, name))

/*
 * For locks that are not built from those of libc: the calling thread has just taken `lock`, or is about to
 * give it back. Taken several times, it must be given back as often.
 */
MPSAN_API(mpsan_lock_acquired, (const void *lock), (lock))
MPSAN_API(mpsan_lock_released, (const void *lock), (lock))

/*
 * Between these two calls no other thread should fork: the calling thread changes something that a child
 * could not repair. `reason` says what, for the report. Pairs may nest.
 */
MPSAN_API(mpsan_fork_unsafe_begin, (const char *reason), (reason))
MPSAN_API(mpsan_fork_unsafe_end, (void), ())

/*
 * Between these two calls nothing that the calling thread does is noted: for code that is known to be
 * right in a way that mpsan cannot see. Pairs may nest.
 */
MPSAN_API(mpsan_ignore_begin, (void), ())
MPSAN_API(mpsan_ignore_end, (void), ())

#ifdef __cplusplus
}
#endif

#undef MPSAN_API

#ifndef MPSAN_LIBRARY
#define mpsan_lock_name mpsan_lock_name_if_there
#define mpsan_lock_acquired mpsan_lock_acquired_if_there
#define mpsan_lock_released mpsan_lock_released_if_there
#define mpsan_fork_unsafe_begin mpsan_fork_unsafe_begin_if_there
#define mpsan_fork_unsafe_end mpsan_fork_unsafe_end_if_there
#define mpsan_ignore_begin mpsan_ignore_begin_if_there
#define mpsan_ignore_end mpsan_ignore_end_if_there
#endif

#endif
