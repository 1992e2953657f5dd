/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for descriptors: who holds the other end; and for System V objects. Sockets are looked up
 * only for threads that have waited for a second. Neighbours: waits_look.h, pipes.h, unix_diag.h.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../base/system_calls.h"
#include "../proc/calls.h"
#include "../proc/fd_copy.h"
#include "../proc/file_locks.h"
#include "../proc/sysv_ipc.h"
#include "../proc/tcp_peers.h"
#include "../proc/unix_diag.h"
#include "waits_look.h"

#define STILL_NS 1000000000ull

#define ANY_END (PIPE_END_READ | PIPE_END_WRITE)

/* ---- one descriptor ---- */

static bool has_lasted(const struct look *look)
{
	look->wait->is_early = look->snapshot->now_ns - look->thread->still_ns < STILL_NS;
	return !look->wait->is_early;
}

/* The other end of a TCP connection: data may be under way, so that a reader or writer is judged by what is in its queues. */
static uint64_t connected(const struct snapshot_thread *thread, uint64_t inode, uint64_t since_ns)
{
	return call_writes(&thread->call) ? tcp_reader(inode, since_ns) : tcp_peer(inode, since_ns);
}

/*
 * The descriptor of the call, looked up once per wait; a socket's peer only when it has lasted. Any
 * process may open a FIFO at any time. A socket without a peer is one of another kind or network, or
 * who will be its peer is not known.
 */
static void find_object(const struct look *look)
{
	struct snapshot_thread *thread = look->thread;
	struct pipe_id id = pipe_of(thread->tid, (int)thread->call.arg[0]);
	struct unix_ends ends = {0};
	uint64_t peer = 0;

	if (id.kind == PIPE_SOCKET && !has_lasted(look))
		return;
	if (id.kind == PIPE_SOCKET && !(unix_diag_ends(id.inode, &ends) && ends.peer))
		peer = connected(thread, id.inode,
				 thread->object.is_queued ? look->snapshot->now_ns - STILL_NS :
							    thread->still_ns + STILL_NS);
	if (peer == TCP_LATER)
		return;
	thread->object = (struct snapshot_object){
		.known = true,
		.is_shared = id.kind == PIPE_ANONYMOUS || ends.peer || peer,
		.kind = id.kind,
		.device = id.device,
		.inode = id.inode,
		.peer = ends.peer ? ends.peer : peer,
		.is_tcp = peer,
		.is_queued = peer && tcp_listens(peer),
	};
}

static void add_holders(struct look *look, struct pipe_id id, unsigned ends)
{
	const struct wakers_eye eye = look_eye(look);

	if (!wakers_of_pipe(&look->waits->wakers, look->thread, &id, ends, &eye))
		look->wait->end = WAIT_OPEN;
}

/*
 * Whoever has one of the two ends can send, receive, close, or shut down the connection, and who has the listener
 * can accept it. A connected datagram socket receives from its peer only.
 */
static void judge_socket(struct look *look, bool reads)
{
	const struct snapshot_object *object = &look->thread->object;

	look->wait->kind = object->is_queued ? MPSAN_WAIT_CONNECT :
			   reads	     ? MPSAN_WAIT_SOCKET_READ :
					       MPSAN_WAIT_SOCKET_WRITE;
	look->wait->lock = object->inode;
	add_holders(look, (struct pipe_id){PIPE_SOCKET, 0, object->inode}, ANY_END);
	if (look->wait->end != WAIT_OPEN)
		add_holders(look, (struct pipe_id){PIPE_SOCKET, 0, object->peer}, ANY_END);
}

static void judge_pipe(struct look *look, bool reads)
{
	const struct snapshot_object *object = &look->thread->object;

	look->wait->kind = reads ? MPSAN_WAIT_PIPE_READ : MPSAN_WAIT_PIPE_WRITE;
	look->wait->lock = object->inode;
	add_holders(look, (struct pipe_id){PIPE_ANONYMOUS, object->device, object->inode},
		    reads ? PIPE_END_WRITE : PIPE_END_READ);
}

static bool is_about_socket(long call)
{
	return call != SYS_read && call != SYS_readv && call != SYS_write && call != SYS_writev;
}

/* As before it was understood: it may serve somebody outside. */
static void forget_open(struct look *look)
{
	if (look->wait->end != WAIT_OPEN)
		return;
	look->wait->kind = MPSAN_WAIT_SYSCALL;
	look->wait->lock = (uint64_t)look->thread->call.number;
}

static void judge_transfer(struct look *look, bool reads)
{
	struct snapshot_thread *thread = look->thread;

	if (is_about_socket(thread->call.number) && !has_lasted(look))
		return;
	if (!thread->object.known || thread->object.is_queued)
		find_object(look);
	if (!thread->object.is_shared)
		return;
	if (thread->object.kind == PIPE_ANONYMOUS)
		judge_pipe(look, reads);
	else if (thread->object.kind == PIPE_SOCKET)
		judge_socket(look, reads);
	if (look->wait->kind != MPSAN_WAIT_PIPE_READ && look->wait->kind != MPSAN_WAIT_PIPE_WRITE)
		forget_open(look);
}

/* ---- locks on files ---- */

static void find_lock(const struct look *look)
{
	struct snapshot_thread *thread = look->thread;
	struct pipe_id id = pipe_file(thread->tid, (int)thread->call.arg[0]);
	struct file_lock lock = {0};

	thread->object = (struct snapshot_object){
		.known = true,
		.is_shared = id.kind &&
			     file_lock_awaited(thread->pid, &thread->call, id.inode, &lock),
		.kind = id.kind,
		.device = id.device,
		.inode = id.inode,
		.peer = lock.of_process ? lock.pid : 0,
	};
}

/* Whoever shares the open file that has the lock can release it; fcntl's belongs to a process. */
static void judge_file_lock(struct look *look)
{
	const struct snapshot_object *object = &look->thread->object;
	uint32_t process;

	if (!has_lasted(look))
		return;
	if (!object->known)
		find_lock(look);
	look->wait->kind = MPSAN_WAIT_FILE_LOCK;
	look->wait->lock = object->inode;
	if (!object->is_shared)
		return;
	process = snapshot_process_of_pid(look->snapshot, (uint32_t)object->peer);
	if (!object->peer)
		add_holders(look, (struct pipe_id){PIPE_LOCKED, object->device, object->inode},
			    ANY_END);
	else if (process != SNAPSHOT_NONE)
		look_add_process(look, process);
}

static bool waits_for_lock(const struct proc_call *call)
{
	return call->number == SYS_flock || call->arg[1] == F_SETLKW ||
	       call->arg[1] == F_OFD_SETLKW;
}

/* ---- FIFOs ---- */

/* Anybody may open it, but no program parks there. To open it for reading may be to serve. */
static void judge_open(struct look *look)
{
	const struct snapshot_thread *thread = look->thread;

	if (!has_lasted(look) || !call_wants_reader(thread->pid, thread->tid, &thread->call))
		return;
	look->wait->kind = MPSAN_WAIT_FIFO;
	look->wait->lock = 0;
}

/* ---- several descriptors ---- */

/* Whoever could make any of them ready ends the wait. */
static void add_end(struct look *look, const struct ready_end *end)
{
	uint32_t process;

	if (end->id.kind) {
		add_holders(look, end->id, end->ends);
		return;
	}
	process = snapshot_process_of_pid(look->snapshot, end->pid);
	if (process == SNAPSHOT_NONE)
		look->wait->end = WAIT_OPEN;
	else
		look_add_process(look, process);
}

/* What an event loop watches has other things in it, too. */
static bool only_receives(const struct ready_set *set)
{
	for (uint32_t i = 0; i < set->ends.item.count; i++)
		if (set->ends.item.item[i].id.kind != PIPE_ANONYMOUS &&
		    set->ends.item.item[i].id.kind != PIPE_SOCKET)
			return false;
	return true;
}

/* Whether it polls for input of a single connection, as before a receive. */
static bool is_receive(const struct ready_set *set)
{
	return set->ends.for_input && set->ends.item.count == 2 &&
	       set->ends.item.item[0].id.kind == PIPE_SOCKET &&
	       set->ends.item.item[1].id.kind == PIPE_SOCKET;
}

static void name_ready(struct look *look, const struct ready_set *set)
{
	look->wait->kind = is_receive(set) ? MPSAN_WAIT_SOCKET_READ : MPSAN_WAIT_READY;
	look->wait->lock = is_receive(set) ? set->ends.item.item[0].id.inode : 0;
}

/* The process of a pidfd that is the only descriptor; SNAPSHOT_NONE: it is not. */
static uint32_t only_process(const struct look *look, const struct ready_set *set)
{
	const struct ready_end *end = set->ends.item.item;

	if (set->open || set->ends.item.count != 1 || end->id.kind || end->pid == look->thread->pid)
		return SNAPSHOT_NONE;
	return snapshot_process_of_pid(look->snapshot, end->pid);
}

/* A pidfd is ready when its process has ended. */
static void judge_end(struct look *look, uint32_t process)
{
	const struct snapshot_process *at = &look->snapshot->processes.item[process];

	look->wait->kind = MPSAN_WAIT_PROCESS;
	look->wait->lock = look->snapshot->reader->session.table[at->slot].pid;
	look_add_process(look, process);
	if (call_has_limit(&look->thread->call))
		look_add_call_limit(look);
}

/*
 * With a limit it is open: an event loop goes on with a timer then, and others look after themselves. But
 * for one that waits for what a worker was to send.
 */
static void judge_ready(struct look *look)
{
	bool timed = call_has_limit(&look->thread->call);
	enum look_failed failed = timed ? look_add_failed(look) : LOOK_FAILED_NO;
	const struct ready_set *set;
	uint32_t process;

	classify_loop(look);
	if (!failed && !has_lasted(look))
		return;
	set = ready_sets_find(&look->waits->wakers.ready, look->snapshot, look->thread);
	process = only_process(look, set);
	if (process != SNAPSHOT_NONE)
		judge_end(look, process);
	if (process != SNAPSHOT_NONE || set->open || (timed && !(failed && only_receives(set))))
		return;
	name_ready(look, set);
	look->thread->object.known = look->thread->object.is_shared = true;
	look->wait->end = WAIT_PROCESSES;
	for (uint32_t i = 0; i < set->ends.item.count && look->wait->end != WAIT_OPEN; i++)
		add_end(look, &set->ends.item.item[i]);
	forget_open(look);
	if (!timed || look->wait->end == WAIT_OPEN)
		return;
	look_add_call_limit(look);
	look->wait->renewed = failed == LOOK_FAILED_POLLS;
	/* it may look after its workers at longer intervals */
	look->wait->flags |= failed == LOOK_FAILED_POLLS ? MPSAN_LF_CERTAIN | MPSAN_LF_DOUBT : 0;
}

/* ---- listeners ---- */

/* Whether it is a listener of multiprocessing, in its own directory, of which only the job knows. */
static bool is_for_job(const struct snapshot_thread *thread)
{
	struct descriptor descriptor;
	char path[DESCRIPTOR_PATH];

	return descriptor_of(thread->tid, (int)thread->call.arg[0], &descriptor) &&
	       descriptor_unix_path(&descriptor, path) && strstr(path, "/pymp-") &&
	       strstr(path, "/listener-");
}

/* Managers, and PyTorch's servers of shared descriptors, accept connections of the job alone. */
static void judge_listener(struct look *look)
{
	struct snapshot_object *object = &look->thread->object;

	if (!has_lasted(look) || !look_process(look)->python)
		return;
	if (!object->known)
		*object = (struct snapshot_object){.known = true,
						   .is_shared = is_for_job(look->thread)};
	if (!object->is_shared)
		return;
	look->wait->kind = MPSAN_WAIT_READY;
	look->wait->lock = 0;
	look->wait->by_job = true;
	for (uint32_t i = 0; i < look->snapshot->processes.count; i++)
		look_add_process(look, i);
}

/* ---- connections ---- */

/* The name that a call of connect() is given: an absolute path or an abstract one; 0: another. */
static size_t name_of_call(const struct snapshot_thread *thread, char name[DESCRIPTOR_PATH])
{
	const size_t head = offsetof(struct sockaddr_un, sun_path);
	size_t bytes = thread->call.arg[2] < sizeof(struct sockaddr_un) ?
			       thread->call.arg[2] :
			       sizeof(struct sockaddr_un);
	struct sockaddr_un address = {0};

	if (bytes <= head || !proc_peek(thread->pid, thread->call.arg[1], &address, bytes) ||
	    address.sun_family != AF_UNIX || (*address.sun_path && *address.sun_path != '/'))
		return 0;
	bytes -= head;
	memcpy(name, address.sun_path, bytes);
	return *name ? strnlen(name, bytes) : bytes;
}

static void find_listener(const struct look *look)
{
	struct snapshot_thread *thread = look->thread;
	struct pipe_id id = pipe_of(thread->tid, (int)thread->call.arg[0]);
	struct unix_listener listener = {0};
	char name[DESCRIPTOR_PATH];
	size_t bytes = id.kind == PIPE_SOCKET ? name_of_call(thread, name) : 0;

	if (bytes)
		listener = unix_diag_listener(name, bytes);
	thread->object = (struct snapshot_object){.known = true,
						  .is_shared = listener.full,
						  .kind = id.kind,
						  .inode = id.inode,
						  .peer = listener.inode};
}

/* Whoever has the listener can accept a connection from its queue, which is full, or close it. */
static void judge_connect(struct look *look)
{
	const struct snapshot_object *object = &look->thread->object;

	if (!has_lasted(look))
		return;
	if (!object->known)
		find_listener(look);
	if (!object->is_shared)
		return;
	look->wait->kind = MPSAN_WAIT_CONNECT;
	look->wait->lock = object->inode;
	add_holders(look, (struct pipe_id){PIPE_SOCKET, 0, object->peer}, ANY_END);
	forget_open(look);
}

/* ---- System V, and queues of POSIX ---- */

/*
 * Anybody who may open it can end the wait, of which the kernel keeps no list: it is open. Who made one
 * with IPC_PRIVATE is not known either.
 */
static void judge_ipc(struct look *look)
{
	struct snapshot_object *object = &look->thread->object;

	look->wait->kind = MPSAN_WAIT_IPC;
	look->wait->lock = look->thread->call.arg[0];
	if (!object->known)
		*object = (struct snapshot_object){
			.known = true,
			.is_lock = sysv_ipc_is_lock(look->thread->pid, &look->thread->call)};
	look->wait->flags |= object->is_lock				? MPSAN_LF_MUTUAL :
			     sysv_ipc_is_semaphore(&look->thread->call) ? 0 :
									  MPSAN_LF_HANDOFF;
}

/* ---- all calls ---- */

/* Whether a message goes to an address instead of the peer. */
static bool has_address(const struct snapshot_thread *thread)
{
	uint64_t name;

	if (thread->call.number == SYS_sendto)
		return thread->call.arg[4];
	return !proc_peek(thread->pid, thread->call.arg[1], &name, sizeof(name)) || name;
}

void classify_descriptors(struct look *look)
{
	if (call_is_poll(&look->thread->call))
		judge_ready(look);
	switch (look->thread->call.number) {
	case SYS_read:
	case SYS_readv:
		judge_transfer(look, true);
		if (look->thread->object.kind == PIPE_EVENT)
			judge_ready(look);
		break;
	case SYS_recvfrom:
	case SYS_recvmsg:
		judge_transfer(look, true);
		break;
	case SYS_sendto:
	case SYS_sendmsg:
		if (has_address(look->thread))
			break;
		judge_transfer(look, false);
		break;
	case SYS_write:
	case SYS_writev:
		judge_transfer(look, false);
		break;
	case SYS_flock:
	case SYS_fcntl:
		if (waits_for_lock(&look->thread->call))
			judge_file_lock(look);
		break;
	case SYS_connect:
		judge_connect(look);
		break;
	case SYS_open:
	case SYS_openat:
		judge_open(look);
		break;
	case SYS_accept:
	case SYS_accept4:
		judge_listener(look);
		break;
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_msgrcv:
	case SYS_msgsnd:
	case SYS_mq_timedreceive:
	case SYS_mq_timedsend:
		judge_ipc(look);
		break;
	default:
		break;
	}
}

bool look_check_descriptors(struct look *look)
{
	const struct snapshot_thread *thread = look->thread;
	uint64_t limit;

	if (call_is_poll(&thread->call) ||
	    (look->wait->kind != MPSAN_WAIT_SOCKET_READ &&
	     look->wait->kind != MPSAN_WAIT_SOCKET_WRITE && look->wait->kind != MPSAN_WAIT_CONNECT))
		return false;
	if (thread->object.is_tcp && connected(thread, thread->object.inode,
					       look->snapshot->now_ns) != thread->object.peer) {
		look->wait->end = WAIT_OPEN;
		return true;
	}
	limit = fd_copy_socket_limit_ns(
		thread->pid, (int)thread->call.arg[0], thread->object.inode,
		call_writes(&thread->call) || thread->call.number == SYS_connect ? SO_SNDTIMEO :
										   SO_RCVTIMEO);

	if (limit == SOCKET_LIMIT_UNKNOWN)
		look->wait->end = WAIT_OPEN;
	else if (limit)
		look_add_limit(look, thread->still_ns + limit);
	return limit;
}
