// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/cgroup.h"
#include "rules/text.h"

#define QUOTA_MIN_NS (1000 * GP_TEXT_US)
#define QUOTA_MAX_NS ((u64)3600 * GP_TEXT_S)
#define PERIOD_NS (100 * GP_TEXT_MS)

static const char *const names[] = {
#define X(name, text) text,
	GP_CGROUP_KEYS(X)
#undef X
};

const char *gp_cgroup_name(u32 index)
{
	return index < GP_CGROUP_COUNT ? names[index] : NULL;
}

void gp_cgroup_default(struct gp_cgroup_attr *a)
{
	*a = (struct gp_cgroup_attr){ .weight = GP_WEIGHT_DEFAULT, .period_ns = PERIOD_NS };
}

static int read_us(const char *text, u64 min_ns, u64 max_ns, u64 *ns)
{
	u64 us;
	int err = gp_text_read_u64(text, min_ns / GP_TEXT_US, max_ns / GP_TEXT_US, &us);

	if (!err)
		*ns = us * GP_TEXT_US;
	return err;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next word of a text, cut to fit; gives what follows. */
static const char *next_word(const char *text, char *word, size_t size)
{
	size_t len = 0;

	while (is_blank(*text))
		text++;
	for (; *text && !is_blank(*text); text++)
		if (len + 1 < size)
			word[len++] = *text;
	word[len] = '\0';
	return text;
}

static int read_max(const char *text, struct gp_cgroup_attr *a)
{
	char quota[GP_TEXT_NUMBER_MAX], period[GP_TEXT_NUMBER_MAX], more[2];
	u64 quota_ns = 0, period_ns = PERIOD_NS;
	int err = 0;

	text = next_word(text, quota, sizeof(quota));
	text = next_word(text, period, sizeof(period));
	next_word(text, more, sizeof(more));
	if (more[0])
		return -EINVAL;
	if (strcmp(quota, "max"))
		err = read_us(quota, QUOTA_MIN_NS, QUOTA_MAX_NS, &quota_ns);
	if (!err && period[0])
		err = read_us(period, GP_SHARE_PERIOD_MIN_NS, GP_SHARE_PERIOD_MAX_NS, &period_ns);
	if (err)
		return err;
	a->quota_ns = quota_ns;
	a->period_ns = period_ns;
	return 0;
}

static int read_key(enum gp_cgroup_index index, const char *text, struct gp_cgroup_attr *a)
{
	u64 value;
	int err;

	switch (index) {
	case GP_CGROUP_INDEX_WEIGHT:
		err = gp_text_read_u64(text, 1, GP_WEIGHT_MAX, &value);
		a->weight = err ? a->weight : (u32)value;
		return err;
	case GP_CGROUP_INDEX_MAX:
		return read_max(text, a);
	case GP_CGROUP_INDEX_LATENCY:
		return read_us(text, 0, QUOTA_MAX_NS, &a->latency_ns);
	default:
		return gp_text_read_bool(text, &a->idle);
	}
}

int gp_cgroup_read(const char *name, const char *text, struct gp_cgroup_attr *a)
{
	u32 i;
	int err;

	for (i = 0; i < GP_CGROUP_COUNT; i++) {
		if (strcmp(names[i], name))
			continue;
		err = read_key((enum gp_cgroup_index)i, text, a);
		if (!err)
			a->mask |= 1U << i;
		return err;
	}
	return -ENOENT;
}

/* A number after what is there already. */
static void append(char *out, u64 value)
{
	while (*out)
		out++;
	gp_text_u64(value, out);
}

const char *gp_cgroup_text(const struct gp_cgroup_attr *a, u32 index, char *out)
{
	size_t len;

	out[0] = '\0';
	switch (index) {
	case GP_CGROUP_INDEX_WEIGHT:
		append(out, a->weight);
		break;
	case GP_CGROUP_INDEX_MAX:
		if (a->quota_ns)
			append(out, a->quota_ns / GP_TEXT_US);
		else
			memcpy(out, "max", sizeof("max"));
		for (len = 0; out[len]; len++)
			;
		out[len] = ' ';
		out[len + 1] = '\0';
		append(out, a->period_ns / GP_TEXT_US);
		break;
	case GP_CGROUP_INDEX_LATENCY:
		append(out, a->latency_ns / GP_TEXT_US);
		break;
	case GP_CGROUP_INDEX_IDLE:
		append(out, a->idle);
		break;
	default:
		break;
	}
	return out;
}

u32 gp_cgroup_differ(const struct gp_cgroup_attr *a, const struct gp_cgroup_attr *b)
{
	u32 mask = a->mask ^ b->mask;

	if (a->weight != b->weight)
		mask |= GP_CGROUP_WEIGHT;
	if (a->quota_ns != b->quota_ns || a->period_ns != b->period_ns)
		mask |= GP_CGROUP_MAX;
	if (a->latency_ns != b->latency_ns)
		mask |= GP_CGROUP_LATENCY;
	if (a->idle != b->idle)
		mask |= GP_CGROUP_IDLE;
	return mask;
}

/* Less run time of a second. In microseconds the products fit. */
static bool is_tighter(const struct gp_cgroup_attr *a, const struct gp_cgroup_attr *b)
{
	if (!a->quota_ns || !b->quota_ns)
		return a->quota_ns && !b->quota_ns;
	return a->quota_ns / GP_TEXT_US * (b->period_ns / GP_TEXT_US) <
	       b->quota_ns / GP_TEXT_US * (a->period_ns / GP_TEXT_US);
}

/* enum gp_cgroup_bit of what is less in @more than in @a. */
static u32 lowered(const struct gp_cgroup_attr *a, const struct gp_cgroup_attr *more)
{
	u32 mask = 0;

	if (more->weight < a->weight)
		mask |= GP_CGROUP_WEIGHT;
	if (is_tighter(more, a))
		mask |= GP_CGROUP_MAX;
	if (more->idle)
		mask |= GP_CGROUP_IDLE;
	return mask;
}

void gp_cgroup_merge(struct gp_cgroup_attr *a, const struct gp_cgroup_attr *more, bool may_raise)
{
	u32 mask = more->mask & (may_raise ? GP_CGROUP_ALL : lowered(a, more));

	if (mask & GP_CGROUP_WEIGHT)
		a->weight = more->weight;
	if (mask & GP_CGROUP_MAX) {
		a->quota_ns = more->quota_ns;
		a->period_ns = more->period_ns;
	}
	if (mask & GP_CGROUP_LATENCY)
		a->latency_ns = more->latency_ns;
	if (mask & GP_CGROUP_IDLE)
		a->idle = more->idle;
	a->mask |= mask;
}

void gp_cgroup_share(const struct gp_cgroup_attr *a, struct gp_share_attr *share)
{
	*share = (struct gp_share_attr){
		.weight = a->idle ? 1 : a->weight,
		.quota_ns = a->quota_ns,
		.period_ns = a->period_ns,
	};
}

void gp_cgroup_inherit(struct gp_cgroup_attr *a, const struct gp_cgroup_attr *above)
{
	if (above->latency_ns && (!a->latency_ns || above->latency_ns < a->latency_ns))
		a->latency_ns = above->latency_ns;
	a->idle |= above->idle;
}

void gp_cgroup_apply(const struct gp_cgroup_attr *a, struct gp_attr *attr)
{
	if (a->latency_ns && (!attr->deadline_ns || a->latency_ns < attr->deadline_ns))
		attr->deadline_ns = a->latency_ns;
	if (!a->idle)
		return;
	attr->prio = 0;
	attr->latency_critical = false;
	attr->deadline_ns = 0;
}

static bool is_dots(const char *name, size_t len)
{
	return name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.'));
}

bool gp_cgroup_is_path(const char *text)
{
	size_t i, begin = 1;

	if (text[0] != '/')
		return false;
	if (!text[1])
		return true;
	for (i = 1; i < GP_CGROUP_PATH_MAX; i++) {
		bool ends = !text[i] || text[i] == '/';

		if (ends && (i == begin || is_dots(text + begin, i - begin)))
			return false;
		if (!text[i])
			return true;
		if (text[i] == '/')
			begin = i + 1;
		else if ((u8)text[i] < ' ' || text[i] == 0x7f)
			return false;
	}
	return false;
}

/* The last star takes one byte more whenever what follows does not match, but no slash. */
bool gp_cgroup_matches(const char *pattern, const char *path)
{
	const char *star = NULL, *from = NULL;

	while (*path) {
		if (*pattern == '*') {
			star = ++pattern;
			from = path;
		} else if (*pattern == *path || (*pattern == '?' && *path != '/')) {
			pattern++;
			path++;
		} else if (star && *from != '/') {
			pattern = star;
			path = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
