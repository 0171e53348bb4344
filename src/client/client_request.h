/* SPDX-License-Identifier: MIT */
/*
 * The requests of an AQL queue: packets that were seen to come together. A request counts as
 * completed when its last packet was consumed. Of the oldest one that is not, the daemon is
 * told when it came (WIRE_PROGRESS): a deadline belongs to a request, not to a busy time.
 */
#ifndef GP_CLIENT_REQUEST_H
#define GP_CLIENT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/* Requests that are told apart; more count as one with the newest. */
#define CLIENT_REQUESTS 8
/* Not told more often than that. */
#define CLIENT_REQUEST_PACE_NS 1000000ull

/**
 * struct client_requests - what is known of them
 * @wptr: write index at the last look
 * @begun_ns: the queue got work then, and its packets were not yet seen; 0 = they were
 * @told_ns: arrival of the request that the daemon counts as the oldest
 * @next_ns: tell nothing before
 * @nr: requests that are not completed
 * @end: write index behind each, in the order they came
 * @since_ns: when each came
 */
struct client_requests {
	uint64_t wptr;
	uint64_t begun_ns;
	uint64_t told_ns;
	uint64_t next_ns;
	uint32_t nr;
	uint64_t end[CLIENT_REQUESTS];
	uint64_t since_ns[CLIENT_REQUESTS];
};

/**
 * client_requests_begin() - the daemon is told that the queue got work
 * @r: requests; none is there
 * @now_ns: time
 */
void client_requests_begin(struct client_requests *r, uint64_t now_ns);

/**
 * client_requests_own() - the client has put in a packet itself
 * @r: requests
 * @wptr: write index behind it
 *
 * It belongs to the newest request.
 */
void client_requests_own(struct client_requests *r, uint64_t wptr);

/**
 * client_requests_look() - a look at a queue with work
 * @r: requests
 * @rptr: read index
 * @wptr: write index
 * @now_ns: time
 * @since_ns: output: when the oldest request that is not completed came
 *
 * Return: true if the daemon is to be told.
 */
bool client_requests_look(struct client_requests *r, uint64_t rptr, uint64_t wptr,
			  uint64_t now_ns, uint64_t *since_ns);

#endif
