// SPDX-License-Identifier: MIT
/*
 * The library against a daemon that answers well, and against daemons that do not.
 */
#include "fake_daemon.h"
#include "gpreempt/gpreempt.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MS 1000000ull

static struct fake_daemon fake;

static struct gpreempt *open_fake(const struct fake_answer *answers, size_t nr)
{
	struct gpreempt *g = NULL;

	fake_start(&fake, answers, nr);
	assert_int_equal(gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, fake.path), 0);
	return g;
}

static void close_fake(struct gpreempt *g)
{
	gpreempt_close(g);
	fake_stop(&fake);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static const char queues_text[] =
	"{\"parameters\":{\"queues\":[{\"pid\":42,\"gpu_id\":7,\"queue_id\":3,\"type\":\"aql\","
	"\"priority\":null,\"ring_addr\":4096,\"ring_bytes\":65536,\"rptr_addr\":null,"
	"\"wptr_addr\":null,\"rptr\":null,\"wptr\":null,\"busy\":true,\"held\":[\"manual\"],"
	"\"state\":\"held\",\"mechanism\":\"shim\","
	"\"source\":{\"type\":\"shim\",\"ring_addr\":\"snapshot\",\"ring_bytes\":\"sysfs\"}}]}}";

static void check_queue(const struct gpreempt_queue *q)
{
	assert_int_equal(q->pid, 42);
	assert_int_equal(q->gpu_id, 7);
	assert_int_equal(q->queue_id, 3);
	assert_int_equal(q->held, GPREEMPT_HELD_MANUAL);
	assert_int_equal(q->type.value, 2);
	assert_int_equal(q->type.source, GPREEMPT_SOURCE_SHIM);
	assert_int_equal(q->prio.source, GPREEMPT_SOURCE_UNKNOWN);
	assert_int_equal(q->ring_addr.value, 4096);
	assert_int_equal(q->ring_addr.source, GPREEMPT_SOURCE_SNAPSHOT);
	assert_int_equal(q->ring_bytes.source, GPREEMPT_SOURCE_SYSFS);
	assert_int_equal(q->busy.value, 1);
	assert_int_equal(q->busy.source, GPREEMPT_SOURCE_DAEMON);
}

static void queues_come_with_their_sources(void **state)
{
	static const struct fake_answer answers[] = {
		{ FAKE_TEXT, queues_text },
		{ FAKE_PIECES, queues_text },
		{ FAKE_TEXT, "{\"parameters\":{\"queues\":[]}}" },
	};
	struct gpreempt *g = open_fake(answers, COUNT(answers));
	struct gpreempt_queue *list;
	size_t nr;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(gpreempt_get_all_queues(g, &list, &nr), 0);
		assert_int_equal(nr, 1);
		check_queue(list);
		gpreempt_free(list);
	}
	assert_int_equal(gpreempt_get_all_queues(g, &list, &nr), 0);
	assert_int_equal(nr, 0);
	gpreempt_free(list);
	assert_string_equal(fake.requests[0],
			    "{\"method\":\"io.gpreempt.ListQueues\",\"parameters\":{}}");
	close_fake(g);
}

/* The names of daemon/list.c, the numbers of the ioctl ABI. */
static void types_of_queues_are_numbered(void **state)
{
	static const struct fake_answer answers[] = {
		{ FAKE_TEXT,
		  "{\"parameters\":{\"queues\":["
		  "{\"pid\":1,\"gpu_id\":7,\"queue_id\":0,\"type\":\"pm4\"},"
		  "{\"pid\":1,\"gpu_id\":7,\"queue_id\":1,\"type\":\"sdma\"},"
		  "{\"pid\":1,\"gpu_id\":7,\"queue_id\":2,\"type\":\"aql\"},"
		  "{\"pid\":1,\"gpu_id\":7,\"queue_id\":3,\"type\":\"sdma_xgmi\"},"
		  "{\"pid\":1,\"gpu_id\":7,\"queue_id\":4,\"type\":\"other\"}]}}" },
	};
	struct gpreempt *g = open_fake(answers, COUNT(answers));
	struct gpreempt_queue *list;
	size_t nr;

	assert_int_equal(gpreempt_get_all_queues(g, &list, &nr), 0);
	assert_int_equal(nr, 5);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(list[i].type.source, GPREEMPT_SOURCE_DAEMON);
		assert_int_equal(list[i].type.value, i);
		assert_int_equal(list[i].compute.value, i == 0 || i == 2);
	}
	assert_int_equal(list[4].type.source, GPREEMPT_SOURCE_UNKNOWN);
	gpreempt_free(list);
	close_fake(g);
}

static void nodes_and_processes_are_decoded(void **state)
{
	static const struct fake_answer answers[] = {
		{ FAKE_TEXT,
		  "{\"parameters\":{\"nodes\":[{\"gpu_id\":7,\"index\":1,\"name\":\"MI300X\","
		  "\"nr_xcc\":8,\"nr_cu\":304,\"gfx_target\":90402,\"cwsr\":true,"
		  "\"enabled\":true,\"policy\":\"prio\",\"breaker\":\"closed\"}]}}" },
		{ FAKE_TEXT,
		  "{\"parameters\":{\"processes\":[{\"pid\":42,\"uid\":1000,\"comm\":"
		  "\"a name that is much longer than thirty-one bytes\","
		  "\"mechanism\":\"dbg\",\"nr_queues\":2,\"nr_busy\":null,\"state\":\"running\","
		  "\"attributes\":{\"class\":\"realtime\",\"priority\":12,\"weight\":1024,"
		  "\"slice_ns\":0,\"deadline_ns\":5,\"latency_critical\":true,"
		  "\"no_preempt\":false,\"group\":null}}]}}" },
	};
	struct gpreempt *g = open_fake(answers, COUNT(answers));
	struct gpreempt_process *p;
	struct gpreempt_node *n;
	size_t nr;

	assert_int_equal(gpreempt_get_nodes(g, &n, &nr), 0);
	assert_int_equal(nr, 1);
	assert_string_equal(n->name, "MI300X");
	assert_int_equal(n->nr_cu.value, 304);
	assert_true(n->enabled);
	gpreempt_free(n);
	assert_int_equal(gpreempt_get_processes(g, &p, &nr), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(p->mechanism, GPREEMPT_MECH_DBG);
	assert_int_equal(strlen(p->comm), GPREEMPT_NAME_LEN - 1);
	assert_int_equal(p->nr_busy.source, GPREEMPT_SOURCE_UNKNOWN);
	assert_int_equal(p->attr.prio, 12);
	assert_true(p->attr.valid & GPREEMPT_ATTR_CLASS);
	assert_false(p->attr.valid & GPREEMPT_ATTR_GROUP);
	gpreempt_free(p);
	close_fake(g);
}

/* Each is refused with a reason, changes nothing, and the next call works again. */
static void nonsense_is_refused_and_survived(void **state)
{
	static const struct fake_answer bad[] = {
		{ FAKE_TEXT, "" },
		{ FAKE_TEXT, "garbage" },
		{ FAKE_TEXT, "[]" },
		{ FAKE_TEXT, "{\"parameters\":[]}" },
		{ FAKE_TEXT, "{\"error\":5}" },
		{ FAKE_TEXT, "{\"error\":\"io.gpreempt.Unheard\"}" },
		{ FAKE_TEXT, "{\"parameters\":{}}" },
		{ FAKE_TEXT, "{\"parameters\":{\"queues\":{}}}" },
		{ FAKE_TEXT, "{\"parameters\":{\"queues\":[5]}}" },
		{ FAKE_TEXT, "{\"parameters\":{\"queues\":[{\"pid\":-1}]}}" },
		{ FAKE_TEXT, "{\"parameters\":{\"queues\":[{\"pid\":1,\"gpu_id\":99999999999,"
			     "\"queue_id\":1}]}}" },
		{ FAKE_TEXT, "{\"parameters\":{\"queues\":[{\"pid\":1,\"gpu_id\":1,"
			     "\"queue_id\":1,\"rptr\":\"x\"}]}}" },
		{ FAKE_BARE, "{\"parameters\":{\"queues\":[]}}" },
		{ FAKE_CLOSE, NULL },
		{ FAKE_FLOOD, NULL },
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct fake_answer answers[] = { bad[i], { FAKE_TEXT, queues_text } };
		struct gpreempt *g = open_fake(answers, 2);
		bool is_gone = bad[i].kind == FAKE_BARE || bad[i].kind == FAKE_CLOSE;
		struct gpreempt_queue *list = (void *)16;
		size_t nr = 99;

		assert_int_equal(gpreempt_get_all_queues(g, &list, &nr),
				 is_gone ? -EPIPE : -EPROTO);
		assert_ptr_equal(list, (void *)16);
		assert_int_equal(nr, 99);
		assert_string_not_equal(gpreempt_strerror(g), "");
		assert_int_equal(gpreempt_get_all_queues(g, &list, &nr), 0);
		assert_string_equal(gpreempt_strerror(g), "");
		gpreempt_free(list);
		close_fake(g);
	}
}

static void error_replies_become_errno_and_text(void **state)
{
	static const struct {
		const char *text;
		int ret;
		const char *reason;
	} cases[] = {
		{ "{\"error\":\"io.gpreempt.NotFound\",\"parameters\":{\"what\":\"9\"}}", -ESRCH,
		  "no such object: 9" },
		{ "{\"error\":\"io.gpreempt.PermissionDenied\",\"parameters\":{\"reason\":\"r\"}}",
		  -EPERM, "r" },
		{ "{\"error\":\"io.gpreempt.NotSupported\",\"parameters\":{\"reason\":\"n\"}}",
		  -EOPNOTSUPP, "n" },
		{ "{\"error\":\"io.gpreempt.Timeout\",\"parameters\":{\"reason\":\"t\"}}",
		  -ETIMEDOUT, "t" },
		{ "{\"error\":\"io.gpreempt.Failed\",\"parameters\":{\"reason\":\"f\","
		  "\"errno\":16}}", -EBUSY, "f" },
		{ "{\"error\":\"io.gpreempt.Failed\",\"parameters\":{\"reason\":\"f\","
		  "\"errno\":null}}", -EIO, "f" },
		{ "{\"error\":\"org.varlink.service.InvalidParameter\","
		  "\"parameters\":{\"parameter\":\"pid\"}}", -EINVAL,
		  "parameter 'pid' is refused" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fake_answer answers[] = { { FAKE_TEXT, cases[i].text },
						 { FAKE_TEXT, "{\"parameters\":{}}" } };
		struct gpreempt *g = open_fake(answers, 2);

		assert_int_equal(gpreempt_attach(g, 9), cases[i].ret);
		assert_string_equal(gpreempt_strerror(g), cases[i].reason);
		assert_int_equal(gpreempt_attach(g, 9), 0);
		close_fake(g);
	}
}

static void late_answers_end_the_call_at_its_deadline(void **state)
{
	static const struct fake_answer answers[] = {
		{ FAKE_SILENCE, NULL },
		{ FAKE_TEXT, "{\"parameters\":{\"results\":[{\"pid\":42,\"gpu_id\":null,"
			     "\"queue_id\":null,\"result\":\"ok\"}]}}" },
	};
	struct gpreempt *g = open_fake(answers, COUNT(answers));
	struct gpreempt_ref ref = { .pid = 42, .queue_id = GPREEMPT_QUEUE_ALL };
	uint64_t start = now_ns();

	assert_int_equal(gpreempt_suspend_queues(g, &ref, 1, 0, 100 * MS), -ETIMEDOUT);
	assert_true(now_ns() - start >= 100 * MS);
	assert_true(now_ns() - start < 3000 * MS);
	assert_int_equal(gpreempt_suspend_queues(g, &ref, 1, 0, 0), 1);
	close_fake(g);
}

static void suspend_gives_each_reference_its_result(void **state)
{
	static const struct fake_answer answers[] = {
		{ FAKE_TEXT,
		  "{\"parameters\":{\"results\":["
		  "{\"pid\":1,\"gpu_id\":7,\"queue_id\":0,\"result\":\"ok\",\"reason\":null},"
		  "{\"pid\":1,\"gpu_id\":7,\"queue_id\":1,\"result\":\"busy\",\"reason\":\"b\"},"
		  "{\"pid\":2,\"gpu_id\":7,\"queue_id\":null,\"result\":\"ok\"},"
		  "{\"pid\":2,\"gpu_id\":8,\"queue_id\":null,\"result\":\"gone\"},"
		  "{\"pid\":3,\"gpu_id\":null,\"queue_id\":null,\"result\":\"perhaps\"}]}}" },
	};
	struct gpreempt *g = open_fake(answers, COUNT(answers));
	struct gpreempt_ref refs[] = {
		{ .pid = 1, .gpu_id = 7, .queue_id = 0 },
		{ .pid = 1, .gpu_id = 7, .queue_id = 1 },
		{ .pid = 2, .queue_id = GPREEMPT_QUEUE_ALL },
		{ .pid = 3, .queue_id = GPREEMPT_QUEUE_ALL },
		{ .pid = 4, .queue_id = GPREEMPT_QUEUE_ALL },
	};

	assert_int_equal(gpreempt_suspend_queues(g, refs, 5, 1500000, 1000 * MS), 1);
	assert_int_equal(refs[0].result, 0);
	assert_int_equal(refs[1].result, -EBUSY);
	assert_int_equal(refs[2].result, -ESRCH);
	assert_int_equal(refs[3].result, -EIO);
	assert_int_equal(refs[4].result, -EIO);
	assert_non_null(strstr(fake.requests[0], "\"lease_ms\":2"));
	assert_non_null(strstr(fake.requests[0], "\"timeout_ms\":1000"));
	assert_non_null(strstr(fake.requests[0], "{\"pid\":1,\"gpu_id\":7,\"queue_id\":0}"));
	assert_non_null(strstr(fake.requests[0], "{\"pid\":2}"));
	close_fake(g);
}

static void events_come_until_the_stream_ends(void **state)
{
	static const struct fake_answer answers[] = {
		{ FAKE_BARE,
		  "{\"parameters\":{\"event\":{\"time_ns\":5,\"kind\":\"busy\",\"pid\":1,"
		  "\"gpu_id\":7,\"queue_id\":null,\"text\":\"t\",\"data\":{\"x\":1}}},"
		  "\"continues\":true}" },
	};
	struct gpreempt *g = open_fake(answers, COUNT(answers));
	struct gpreempt_queue *list;
	struct gpreempt_event e;
	struct pollfd p = { .events = POLLIN };
	size_t nr;
	int ret;

	assert_int_equal(gpreempt_monitor_read(g, &e), -EINVAL);
	p.fd = gpreempt_monitor_fd(g, GPREEMPT_MONITOR_TRACE);
	assert_true(p.fd >= 0);
	assert_int_equal(gpreempt_get_all_queues(g, &list, &nr), -EBUSY);
	/* The event was sent without its end: it never counts. */
	do {
		assert_int_equal(poll(&p, 1, 5000), 1);
		ret = gpreempt_monitor_read(g, &e);
	} while (!ret);
	assert_int_equal(ret, -EPIPE);
	assert_non_null(strstr(fake.requests[0], "\"trace\":true"));
	assert_non_null(strstr(fake.requests[0], "\"more\":true"));
	close_fake(g);
}

static void events_are_decoded(void **state)
{
	static const struct fake_answer answers[] = {
		{ FAKE_TEXT,
		  "{\"parameters\":{\"event\":{\"time_ns\":5,\"kind\":\"busy\",\"pid\":1,"
		  "\"gpu_id\":7,\"queue_id\":null,\"text\":\"t\",\"data\":{\"x\":1}}},"
		  "\"continues\":true}" },
	};
	struct gpreempt *g = open_fake(answers, COUNT(answers));
	struct gpreempt_event e;
	struct pollfd p = { .events = POLLIN };

	p.fd = gpreempt_monitor_fd(g, 0);
	assert_int_equal(poll(&p, 1, 5000), 1);
	assert_int_equal(gpreempt_monitor_read(g, &e), 1);
	assert_int_equal(e.time_ns, 5);
	assert_string_equal(e.kind, "busy");
	assert_int_equal(e.queue_id, GPREEMPT_QUEUE_ALL);
	assert_string_equal(e.text, "t");
	assert_int_equal(gpreempt_monitor_read(g, &e), 0);
	close_fake(g);
}

static void raw_calls_give_replies_and_errors(void **state)
{
	static const struct fake_answer answers[] = {
		{ FAKE_TEXT, "{\"parameters\":{\"version\":\"1\"}}" },
		{ FAKE_TEXT, "{\"error\":\"io.gpreempt.NotFound\","
			     "\"parameters\":{\"what\":\"x\"}}" },
	};
	struct gpreempt *g = open_fake(answers, COUNT(answers));
	char *reply;

	assert_int_equal(gpreempt_call(g, "GetInfo", "[]", &reply), -EINVAL);
	assert_int_equal(gpreempt_call(g, "GetInfo", NULL, &reply), 0);
	assert_string_equal(reply, "{\"version\":\"1\"}");
	gpreempt_free(reply);
	assert_int_equal(gpreempt_call(g, "io.gpreempt.Detach", "{\"pid\":1}", &reply), -ENOENT);
	assert_non_null(strstr(reply, "io.gpreempt.NotFound"));
	gpreempt_free(reply);
	close_fake(g);
}

static void bad_arguments_are_refused(void **state)
{
	struct gpreempt *g = NULL;
	struct gpreempt_ref ref = { 0 };
	struct gpreempt_attr attr = { .valid = GPREEMPT_ATTR_CLASS };
	char path[200];

	assert_int_equal(gpreempt_open(NULL, 0, NULL), -EINVAL);
	assert_int_equal(gpreempt_open(&g, 1u << 9, NULL), -EINVAL);
	assert_int_equal(gpreempt_open(&g, GPREEMPT_OPEN_DAEMON | GPREEMPT_OPEN_DIRECT, NULL),
			 -EINVAL);
	assert_int_equal(gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, "/nonexistent/s"), -ENOENT);
	memset(path, 'x', sizeof(path));
	path[199] = '\0';
	assert_int_equal(gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, path), -ENAMETOOLONG);
	assert_null(g);
	g = open_fake(NULL, 0);
	assert_int_equal(gpreempt_suspend_queues(g, &ref, 1, 0, 0), -EINVAL);
	assert_int_equal(gpreempt_suspend_queues(g, NULL, 1, 0, 0), -EINVAL);
	assert_int_equal(gpreempt_suspend_queues(g, NULL, 0, 0, 0), 0);
	memset(attr.klass, 'x', sizeof(attr.klass));
	assert_int_equal(gpreempt_set_attr(g, 1, &attr), -EINVAL);
	assert_int_equal(gpreempt_sizeof("gpreempt_ref"), sizeof(struct gpreempt_ref));
	assert_int_equal(gpreempt_sizeof("other"), 0);
	assert_string_equal(gpreempt_source_name(GPREEMPT_SOURCE_DEBUGFS), "debugfs");
	assert_string_equal(gpreempt_source_name((enum gpreempt_source)77), "unknown");
	close_fake(g);
}

static void grants_name_a_process_or_a_cgroup(void **state)
{
	static const struct fake_answer answers[] = {
		{ FAKE_TEXT, "{\"parameters\":{\"grant\":{}}}" },
		{ FAKE_TEXT, "{\"parameters\":{\"grant\":{}}}" },
		{ FAKE_TEXT, "{\"error\":\"io.gpreempt.PermissionDenied\","
			     "\"parameters\":{\"reason\":\"x\"}}" },
		{ FAKE_TEXT, "{\"parameters\":{}}" },
		{ FAKE_TEXT, "{\"error\":\"io.gpreempt.NotFound\","
			     "\"parameters\":{\"what\":\"x\"}}" },
	};
	struct gpreempt_attr attr = { .valid = GPREEMPT_ATTR_CLASS, .klass = "realtime" };
	struct gpreempt *g = open_fake(answers, COUNT(answers));

	assert_int_equal(gpreempt_grant(g, 42, NULL, &attr, 0), 0);
	assert_int_equal(gpreempt_grant(g, 0, "/job", &attr, 1500001), 0);
	assert_int_equal(gpreempt_grant(g, 42, NULL, &attr, 0), -EPERM);
	assert_int_equal(gpreempt_revoke(g, 42, NULL), 0);
	assert_int_equal(gpreempt_revoke(g, 0, "/job"), -ESRCH);
	assert_int_equal(gpreempt_grant(g, 0, NULL, &attr, 0), -EINVAL);
	assert_int_equal(gpreempt_grant(g, 42, "/job", &attr, 0), -EINVAL);
	assert_int_equal(gpreempt_grant(g, 42, NULL, NULL, 0), -EINVAL);
	assert_int_equal(gpreempt_revoke(g, 0, NULL), -EINVAL);
	assert_int_equal(fake.nr_requests, 5);
	assert_non_null(strstr(fake.requests[0], "\"io.gpreempt.Grant\""));
	assert_non_null(strstr(fake.requests[0], "\"pid\":42"));
	assert_non_null(strstr(fake.requests[0], "\"class\":\"realtime\""));
	assert_non_null(strstr(fake.requests[1], "\"cgroup\":\"/job\""));
	assert_non_null(strstr(fake.requests[1], "\"lease_ms\":2"));
	assert_null(strstr(fake.requests[1], "\"pid\""));
	assert_non_null(strstr(fake.requests[4], "\"io.gpreempt.Revoke\""));
	close_fake(g);
}

/* What is no UTF-8 is in no request: it would mean all groups, or no change. */
static void names_that_are_no_utf8_are_refused(void **state)
{
	static const struct fake_answer answers[] = {
		{ FAKE_TEXT, "{\"parameters\":{\"totals\":[]}}" },
		{ FAKE_TEXT, "{\"parameters\":{\"totals\":[]}}" },
	};
	struct gpreempt *g = open_fake(answers, COUNT(answers));
	struct gpreempt_total *totals;
	size_t nr;

	assert_int_equal(gpreempt_get_totals(g, "\xff", &totals, &nr), -EINVAL);
	assert_int_equal(gpreempt_set_policy(g, 0, "\xff"), -EINVAL);
	assert_int_equal(gpreempt_set_param(g, 0, "\xff", 1), -EINVAL);
	assert_int_equal(gpreempt_get_totals(g, "job", &totals, &nr), 0);
	gpreempt_free(totals);
	assert_int_equal(gpreempt_get_totals(g, NULL, &totals, &nr), 0);
	gpreempt_free(totals);
	assert_int_equal(fake.nr_requests, 2);
	assert_non_null(strstr(fake.requests[0], "\"group\":\"job\""));
	assert_non_null(strstr(fake.requests[1], "\"parameters\":{}"));
	close_fake(g);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_come_with_their_sources),
		cmocka_unit_test(types_of_queues_are_numbered),
		cmocka_unit_test(nodes_and_processes_are_decoded),
		cmocka_unit_test(nonsense_is_refused_and_survived),
		cmocka_unit_test(error_replies_become_errno_and_text),
		cmocka_unit_test(late_answers_end_the_call_at_its_deadline),
		cmocka_unit_test(suspend_gives_each_reference_its_result),
		cmocka_unit_test(events_come_until_the_stream_ends),
		cmocka_unit_test(events_are_decoded),
		cmocka_unit_test(raw_calls_give_replies_and_errors),
		cmocka_unit_test(bad_arguments_are_refused),
		cmocka_unit_test(grants_name_a_process_or_a_cgroup),
		cmocka_unit_test(names_that_are_no_utf8_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
