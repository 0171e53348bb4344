// SPDX-License-Identifier: MIT
/*
 * The table of trust: complete, and the one of the documentation.
 */
#include "unit.h"

#include "daemon/gpd_trust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN "| message | can affect | what is checked | kinds of check |\n"

static char *read_doc(void)
{
	FILE *f = fopen(DAEMON_DOC, "re");
	char *text = calloc(1, 1 << 20);

	assert_non_null(f);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
	fclose(f);
	return text;
}

static void put_needs(char *line, size_t size, unsigned int needs)
{
	static const char *const names[] = { "privilege", "owner", "right", "driver", "two users",
					     "budget" };
	const char *comma = "";
	size_t len = strlen(line);
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (needs & (1u << i)) {
			len += (size_t)snprintf(line + len, size - len, "%s%s", comma, names[i]);
			comma = ", ";
		}
}

static void make_line(char *line, size_t size, const struct gpd_trust_row *row)
{
	snprintf(line, size, "| `%s` | %s | %s | ", row->message, row->affects, row->check);
	put_needs(line, size, row->needs);
	strncat(line, " |\n", size - strlen(line) - 1);
}

static void page_has_the_table(void **state)
{
	struct gpd_trust_row row;
	char *text = read_doc();
	char *at = strstr(text, BEGIN);
	char line[1024];
	uint32_t i;

	assert_non_null(at);
	at = strchr(at + strlen(BEGIN), '\n') + 1;
	for (i = 0; gpd_trust_row(i, &row); i++) {
		make_line(line, sizeof(line), &row);
		if (strncmp(at, line, strlen(line)))
			print_message("the page should have:\n%s", line);
		assert_memory_equal(at, line, strlen(line));
		at += strlen(line);
	}
	/* And not a row more. */
	assert_int_not_equal(*at, '|');
	free(text);
}

static void every_method_has_a_row(void **state)
{
	int method;

	for (method = 0; method < GPD_METHOD_COUNT; method++) {
		const struct gpd_trust_row *row = gpd_trust_method((enum gpd_method)method);

		assert_true(row->affects[0] && row->check[0]);
	}
}

static const struct gpd_owner here = { .uid = 1000, .user_ns = 1, .pid_ns = 2 };
static const struct gpd_owner inside = {
	.uid = 1000, .is_foreign = true, .user_ns = 3, .pid_ns = 4,
};
static const struct gpd_owner beside = {
	.uid = 1000, .is_foreign = true, .user_ns = 3, .pid_ns = 5,
};

static void only_ones_own_processes(void **state)
{
	struct gpd_cred cred = { .owner = here };
	struct gpd_owner other = here;

	assert_true(gpd_trust_may_touch(&cred, &here));
	assert_true(gpd_trust_may_touch(&cred, &inside));
	other.uid = 0;
	assert_false(gpd_trust_may_touch(&cred, &other));
	cred.privileged = true;
	assert_true(gpd_trust_may_touch(&cred, &other));
}

static void container_touches_only_itself(void **state)
{
	struct gpd_cred cred = { .owner = inside };
	struct gpd_owner unknown = { .uid = 1000, .is_foreign = true };

	assert_true(gpd_trust_may_touch(&cred, &inside));
	assert_false(gpd_trust_may_touch(&cred, &here));
	assert_false(gpd_trust_may_touch(&cred, &beside));
	cred.owner = unknown;
	assert_false(gpd_trust_may_touch(&cred, &unknown));
}

static void root_of_a_container_is_not_root(void **state)
{
	struct gpd_owner root = here;

	root.uid = 0;
	assert_true(gpd_trust_is_root(&root));
	root.is_foreign = true;
	assert_false(gpd_trust_is_root(&root));
}

static void two_accounts_are_two(void **state)
{
	struct gpd_user users[2] = { { .uid = 1 }, { .uid = 2 } };
	struct gpd_client a = { .owner = { .uid = 1, .account = 1 }, .user = &users[0] };
	struct gpd_client b = { .owner = { .uid = 2, .account = 2 }, .user = &users[1] };
	struct gpd_client c = { .owner = { .uid = 3, .account = 1 }, .user = &users[0] };
	struct gpd_node n = { .index = 0 };

	assert_false(gpd_trust_claim(&n, GPD_CLAIM_RESET, &a));
	assert_false(gpd_trust_claim(&n, GPD_CLAIM_RESET, &a));
	/* Another uid of the same account is not another account. */
	assert_false(gpd_trust_claim(&n, GPD_CLAIM_RESET, &c));
	/* Another claim is another matter. */
	assert_false(gpd_trust_claim(&n, GPD_CLAIM_FAILED, &b));
	assert_true(gpd_trust_claim(&n, GPD_CLAIM_RESET, &b));
	assert_true(gpd_trust_claim(&n, GPD_CLAIM_FAILED, &a));
	users[0].privileged = true;
	assert_true(gpd_trust_claim(&n, GPD_CLAIM_NO_PROGRESS, &a));
}

/* Two users have to say something each time: neither can use what the other said once more. */
static void claim_is_used_up(void **state)
{
	struct gpd_node *n = test_calloc(1, sizeof(*n));
	struct gpd_user user = { .uid = 1000 };
	struct gpd_client *a = test_calloc(1, sizeof(*a));
	struct gpd_client *b = test_calloc(1, sizeof(*b));

	a->user = &user;
	b->user = &user;
	a->owner.account = 1000;
	b->owner.account = 1001;
	assert_false(gpd_trust_claim(n, GPD_CLAIM_RESET, a));
	assert_false(gpd_trust_claim(n, GPD_CLAIM_RESET, a));
	assert_true(gpd_trust_claim(n, GPD_CLAIM_RESET, b));
	assert_false(gpd_trust_claim(n, GPD_CLAIM_RESET, b));
	assert_true(gpd_trust_claim(n, GPD_CLAIM_RESET, a));
	test_free(a);
	test_free(b);
	test_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_has_the_table),
		cmocka_unit_test(claim_is_used_up),
		cmocka_unit_test(every_method_has_a_row),
		cmocka_unit_test(only_ones_own_processes),
		cmocka_unit_test(container_touches_only_itself),
		cmocka_unit_test(root_of_a_container_is_not_root),
		cmocka_unit_test(two_accounts_are_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
