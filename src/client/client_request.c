// SPDX-License-Identifier: MIT
#include "client/client_request.h"

void client_requests_begin(struct client_requests *r, uint64_t now_ns)
{
	r->nr = 0;
	r->begun_ns = now_ns;
	r->told_ns = now_ns;
	r->next_ns = now_ns;
}

void client_requests_own(struct client_requests *r, uint64_t wptr)
{
	if (r->nr)
		r->end[r->nr - 1] = wptr;
	r->wptr = wptr;
}

static void came(struct client_requests *r, uint64_t wptr, uint64_t now_ns)
{
	uint64_t since_ns = r->begun_ns ? r->begun_ns : now_ns;

	r->begun_ns = 0;
	r->wptr = wptr;
	if (r->nr == CLIENT_REQUESTS) {
		r->end[r->nr - 1] = wptr;
		return;
	}
	r->end[r->nr] = wptr;
	r->since_ns[r->nr++] = since_ns;
}

/* Indices may wrap at 2^64. */
static bool is_behind(uint64_t index, uint64_t end)
{
	return (int64_t)(index - end) >= 0;
}

static void complete(struct client_requests *r, uint64_t rptr)
{
	uint32_t n = 0, i;

	while (n < r->nr && is_behind(rptr, r->end[n]))
		n++;
	if (!n)
		return;
	r->nr -= n;
	for (i = 0; i < r->nr; i++) {
		r->end[i] = r->end[i + n];
		r->since_ns[i] = r->since_ns[i + n];
	}
}

bool client_requests_look(struct client_requests *r, uint64_t rptr, uint64_t wptr,
			  uint64_t now_ns, uint64_t *since_ns)
{
	if (wptr != r->wptr)
		came(r, wptr, now_ns);
	complete(r, rptr);
	if (!r->nr || r->since_ns[0] <= r->told_ns || now_ns < r->next_ns)
		return false;
	*since_ns = r->told_ns = r->since_ns[0];
	r->next_ns = now_ns + CLIENT_REQUEST_PACE_NS;
	return true;
}
