/* SPDX-License-Identifier: MIT */
/*
 * DOC: What the daemon and a client say to each other
 *
 * A client can stop the queues of one process: the shim inside it, a
 * tracer process beside it, or a simulated one. All three speak this protocol,
 * over a SOCK_SEQPACKET unix socket: one message a packet, every message a fixed
 * struct that begins with struct wire_hdr. The shim and simulated clients
 * connect to the daemon's client socket; a tracer gets its end as a descriptor.
 *
 * Order of a conversation: the client says HELLO, the daemon WELCOME. Then the
 * client tells queues (QUEUE_ADD, QUEUE_REMOVE) and edges (BUSY, IDLE) as they
 * happen, and the daemon sets the level of a hold (HOLD, RELEASE).
 *
 * A hold is a level, not a count: what is held stays held until a RELEASE of the
 * same holder. There are two holders, the scheduler and a person; a queue runs
 * when neither holds it. Each order names an epoch, larger than any before; the
 * client carries orders out in the order they come, answers each with one DONE
 * that quotes the epoch, and ignores an order with an epoch that is not larger.
 *
 * A hold is leased. The client lets go by itself when the lease ends, when the
 * socket is closed, and when a message makes no sense; so a daemon that died,
 * hangs or talks nonsense stops nothing for longer than a lease. The daemon
 * renews with RENEW, which is not answered.
 *
 * Neither side trusts the other: sizes, types and ranges are checked, unknown
 * types end the conversation, and the peer's identity comes from SO_PEERCRED alone.
 */
#ifndef GP_MECHANISM_WIRE_H
#define GP_MECHANISM_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define WIRE_MAGIC 0x31507047u		/* "GpP1" */
#define WIRE_VERSION 1

/* Longest message either side sends. */
#define WIRE_MAX 256

/* The client socket is where the control socket is, with this at the end of its name. */
#define WIRE_SOCKET_SUFFIX ".client/socket"

#define WIRE_NAME_LEN 32
#define WIRE_QUEUE_ALL 0xffffffffu
#define WIRE_PRIO_UNSET 0xff

enum wire_type {
	/* client to daemon */
	WIRE_HELLO = 1,			/* struct wire_hello */
	WIRE_QUEUE_ADD = 2,		/* struct wire_queue */
	WIRE_QUEUE_REMOVE = 3, /* struct wire_edge */
	WIRE_BUSY = 4,			/* struct wire_edge: got work */
	WIRE_IDLE = 5,			/* struct wire_edge: all work done, proven */
	WIRE_DONE = 6,			/* struct wire_done: answer to HOLD or RELEASE */
	WIRE_NOTE = 7,			/* struct wire_note: something to show to people */
	WIRE_PROGRESS = 8,		/* struct wire_progress: completed requests and has more */
	/* daemon to client */
	WIRE_WELCOME = 64, /* struct wire_welcome */
	WIRE_HOLD = 65,       /* struct wire_order */
	WIRE_RELEASE = 66, /* struct wire_order */
	WIRE_RENEW = 67,      /* struct wire_order: epoch of the hold; not answered */
	WIRE_BYE = 68,        /* struct wire_note: refused or dropped, and why; then EOF */
};

/* Begins every message. */
struct wire_hdr {
	uint32_t magic; /* WIRE_MAGIC */
	uint16_t type; /* enum wire_type */
	uint16_t size; /* bytes of the whole message */
	uint64_t time_ns; /* CLOCK_MONOTONIC of the sender when it happened; for latencies only */
};

enum wire_mech {
	WIRE_MECH_SHIM = 1,
	WIRE_MECH_DBG = 2,
	WIRE_MECH_SIM = 3,
};

/*
 * How much of its process a client sees. The lower ones are what can be seen,
 * those from GP_WIRE_SEES_NOT on what cannot.
 */
#define WIRE_SEES_IOCTL (1u << 0)	/* queues by interposed ioctl */
#define WIRE_SEES_TABLE (1u << 1)	/* doorbells by the HSA table */
#define WIRE_SEES_SYMBOL (1u << 2)	/* doorbells by interposed symbols */
#define WIRE_SEES_POINTERS (1u << 3)	/* edges by watching read and write pointers */
#define WIRE_SEES_SNAPSHOT (1u << 4)	/* queues by DBG_TRAP snapshots */
#define WIRE_SEES_NOT_RAW (1u << 16)	/* a raw doorbell was handed out */
#define WIRE_SEES_NOT_PROXY (1u << 17)		/* a profiler's proxy queue */
#define WIRE_SEES_NOT_ALL (1u << 18)	/* the driver lists queues it never saw */

/* Attribute flags of struct wire_hello. */
#define WIRE_ATTR_LATENCY_CRITICAL (1u << 0)

/* What this client is and what is wished for its process. */
struct wire_hello {
	struct wire_hdr hdr;
	uint32_t version; /* WIRE_VERSION */
	uint32_t mech; /* enum wire_mech */
	/*
	 * Process whose queues these are, as the client sees it; only a tracer is believed. A
	 * simulated client may say 0 (itself) or a number above 4194304, which no real process
	 * can have and no other client has taken: so one process can be many clients.
	 */
	uint32_t pid;
	uint32_t sees; /* WIRE_SEES_* */
	uint8_t prio; /* wished priority or WIRE_PRIO_UNSET */
	uint8_t pad[3]; /* zero */
	uint32_t attr_flags; /* WIRE_ATTR_* */
	uint32_t weight; /* 0 = not said */
	uint32_t reserved; /* zero */
	uint64_t slice_ns; /* 0 = not said */
	uint64_t deadline_ns; /* 0 = not said */
	char klass[WIRE_NAME_LEN]; /* name of a class, ended by a zero; empty = not said */
	char group[WIRE_NAME_LEN]; /* name of a group, ended by a zero; empty = none */
	char comm[WIRE_NAME_LEN]; /* name of the program, for people */
};

/* You are known. */
struct wire_welcome {
	struct wire_hdr hdr;
	uint64_t client; /* the daemon's number for the client */
	uint64_t lease_ns; /* what a hold lasts without a renewal */
	/*
	 * How often to look at pointers where nothing better is there; less often when nothing
	 * has happened for long, at least every sixteenth time.
	 */
	uint64_t poll_ns;
	uint64_t quiet_ns; /* how long a queue is quiet before idle is to be proven */
	uint32_t flags; /* WIRE_WELCOME_* */
	uint32_t reserved; /* zero */
};

/* Several queues may be stopped by one DBG_TRAP on oneself. */
#define WIRE_WELCOME_SELF_DBG (1u << 0)
/* PROGRESS is wanted; without this no client sends it. */
#define WIRE_WELCOME_PROGRESS (1u << 1)

/* Queue types: as in the ioctl ABI of amdkfd. */
#define WIRE_QUEUE_PM4 0
#define WIRE_QUEUE_SDMA 1
#define WIRE_QUEUE_AQL 2
#define WIRE_QUEUE_SDMA_XGMI 3

/* A queue. */
struct wire_queue {
	struct wire_hdr hdr;
	uint32_t gpu_id; /* its node */
	uint32_t queue_id; /* as amdkfd numbers it in that process */
	uint32_t type; /* WIRE_QUEUE_* */
	uint8_t prio; /* hardware priority 0..15 it was made with; WIRE_PRIO_UNSET = unknown */
	uint8_t busy; /* 1 = has work already */
	uint8_t pad[2]; /* zero */
	uint64_t ring_addr; /* address of the ring in the process; 0 = unknown */
	uint64_t ring_bytes; /* its size; 0 = unknown */
	uint64_t rptr_addr; /* where the read index is; 0 = unknown */
	uint64_t wptr_addr; /* where the write index is; 0 = unknown */
};

/* A queue is gone, became busy, became idle. */
struct wire_edge {
	struct wire_hdr hdr;
	uint32_t gpu_id; /* its node */
	uint32_t queue_id; /* its number */
};

/* A queue with work completed requests and has more. */
struct wire_progress {
	struct wire_hdr hdr;
	uint32_t gpu_id; /* its node */
	uint32_t queue_id; /* its number */
	/* When the oldest request that is not completed came; not after @hdr.time_ns. */
	uint64_t since_ns;
};

enum wire_holder {
	WIRE_HOLDER_SCHED = 0,
	WIRE_HOLDER_MANUAL = 1,
	WIRE_HOLDER_COUNT
};

/* HOLD, RELEASE, RENEW. */
struct wire_order {
	struct wire_hdr hdr;
	uint64_t epoch; /* number of the order; for RENEW that of the HOLD */
	uint32_t gpu_id; /* node */
	uint32_t queue_id; /* or WIRE_QUEUE_ALL: every compute queue there is and will be */
	uint32_t holder; /* enum wire_holder */
	uint32_t grace; /* DBG_TRAP grace 1..255; 0 = the default */
	uint64_t lease_ns; /* HOLD, RENEW: let go after this without a renewal */
};

enum wire_result {
	WIRE_OK = 0,		/* the level is what was ordered */
	WIRE_GONE = 1,		/* no such node, queue or process any more */
	WIRE_BUSY_NOW = 2,	/* could not now; try again */
	WIRE_ERROR = 3,		/* the driver or the hardware failed */
};

/* What became of an order. */
struct wire_done {
	struct wire_hdr hdr;
	uint64_t epoch; /* of the order */
	uint32_t gpu_id; /* of the order */
	uint32_t result; /* enum wire_result; the worst of its queues */
	uint32_t error; /* errno if not OK, else 0 */
	uint32_t nr_queues; /* queues whose state changed */
	uint32_t nr_cycles; /* calls that each cost a runlist cycle */
	uint32_t reserved; /* zero */
	uint64_t took_ns; /* from reading the order to the end of the last call */
};

enum wire_note_code {
	WIRE_NOTE_SEES = 1,		/* value: the new WIRE_SEES_* */
	WIRE_NOTE_LEASE_ENDED = 2,	/* let go by itself; value: holder */
	WIRE_NOTE_PROGRESS = 3,		/* after a release: read pointers moved or work ended */
	WIRE_NOTE_NO_PROGRESS = 4,	/* after a release: a second without any sign */
	WIRE_NOTE_REFUSED = 5,		/* cannot be stopped, or BYE; value: errno; text says why */
	WIRE_NOTE_RESET = 6,		/* a queue was: cannot be stopped there any more */
};

/* Something worth knowing. */
struct wire_note {
	struct wire_hdr hdr;
	uint32_t code; /* enum wire_note_code */
	uint32_t gpu_id; /* node, or 0 */
	uint64_t value; /* see the code */
	char text[128]; /* for people, ended by a zero */
};

/* Whatever a daemon says. */
union wire_message {
	struct wire_hdr hdr;
	struct wire_welcome welcome;
	struct wire_order order;
	struct wire_note note;
	uint8_t bytes[WIRE_MAX];
};

/**
 * wire_send() - fill in the header and send; never waits
 * @fd: socket
 * @hdr: begins the message
 * @type: enum wire_type
 * @size: bytes of the message
 * @now_ns: time
 *
 * Return: 0, -EAGAIN the peer does not read, -EPIPE it is gone.
 */
int wire_send(int fd, struct wire_hdr *hdr, uint16_t type, size_t size, uint64_t now_ns);

/**
 * wire_receive() - take a message of the daemon; never waits
 * @fd: socket
 * @m: output
 *
 * Return: its type; 0 nothing is there; -EPIPE the daemon is gone; -EBADMSG no daemon says that.
 */
int wire_receive(int fd, union wire_message *m);

/**
 * wire_worsen() - one thing that was ordered failed
 * @done: the answer; of several failures it tells the worst
 * @error: errno; 0 changes nothing
 */
void wire_worsen(struct wire_done *done, int error);

_Static_assert(sizeof(struct wire_hdr) == 16, "wire layout");
_Static_assert(sizeof(struct wire_hello) == 160, "wire layout");
_Static_assert(sizeof(struct wire_welcome) == 56, "wire layout");
_Static_assert(sizeof(struct wire_queue) == 64, "wire layout");
_Static_assert(sizeof(struct wire_edge) == 24, "wire layout");
_Static_assert(sizeof(struct wire_progress) == 32, "wire layout");
_Static_assert(sizeof(struct wire_order) == 48, "wire layout");
_Static_assert(sizeof(struct wire_done) == 56, "wire layout");
_Static_assert(sizeof(struct wire_note) == 160, "wire layout");

#endif
