// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/text.h"

struct unit {
	char name[4];
	u64 ns;
};

/* Written with one of the first four: "90s" reads better than "1.5min". */
static const struct unit units[] = {
	{ "ns", GP_TEXT_NS },
	{ "us", GP_TEXT_US },
	{ "ms", GP_TEXT_MS },
	{ "s", GP_TEXT_S },
	{ "min", 60 * GP_TEXT_S },
	{ "h", 3600 * GP_TEXT_S },
};

#define LAST_WRITTEN 3U

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads digits into @value; gives what follows, or NULL if it does not fit. */
static const char *read_digits(const char *text, u64 *value)
{
	u64 v = 0;

	for (; is_digit(*text); text++) {
		if (__builtin_mul_overflow(v, (u64)10, &v) ||
		    __builtin_add_overflow(v, (u64)(*text - '0'), &v))
			return NULL;
	}
	*value = v;
	return text;
}

/* The digits after a point add to @value what they are worth; gives what follows. */
static int read_fraction(const char **text, u64 one, u64 *value)
{
	const char *p = *text;
	u64 weight = one;

	if (!is_digit(*p))
		return -EINVAL;
	for (; is_digit(*p); p++) {
		if ((!weight || weight % 10) && *p != '0')
			return -EINVAL;
		weight /= 10;
		if (__builtin_add_overflow(*value, (u64)(*p - '0') * weight, value))
			return -ERANGE;
	}
	*text = p;
	return 0;
}

/* The beginning of a text; gives what follows. */
static int read_decimal(const char **text, u64 one, u64 *value)
{
	const char *p = *text;
	u64 whole, v;
	int err = 0;

	if (!is_digit(*p))
		return -EINVAL;
	p = read_digits(p, &whole);
	if (!p || __builtin_mul_overflow(whole, one, &v))
		return -ERANGE;
	if (*p == '.') {
		p++;
		err = read_fraction(&p, one, &v);
	}
	if (err)
		return err;
	*text = p;
	*value = v;
	return 0;
}

int gp_text_read_u64(const char *text, u64 min_value, u64 max_value, u64 *value)
{
	const char *end;
	u64 v;

	if (!is_digit(*text))
		return -EINVAL;
	end = text;
	while (is_digit(*end))
		end++;
	if (*end)
		return -EINVAL;
	if (!read_digits(text, &v) || v < min_value || v > max_value)
		return -ERANGE;
	*value = v;
	return 0;
}

int gp_text_read_decimal(const char *text, u64 one, const char *end, u64 *value)
{
	u64 v;
	int err = read_decimal(&text, one, &v);

	if (err)
		return err;
	if (strcmp(text, end))
		return -EINVAL;
	*value = v;
	return 0;
}

static const char *skip_blanks(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

/* What follows a decimal and blanks. */
static const char *unit_of(const char *text)
{
	while (is_digit(*text) || *text == '.')
		text++;
	return skip_blanks(text);
}

/* 0 without a unit is 0 in every unit. */
static u64 unit_ns(const char *name, u64 if_none)
{
	u32 i;

	if (!*name)
		return if_none ? if_none : 1;
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(name, units[i].name))
			return units[i].ns;
	return 0;
}

int gp_text_read_time(const char *text, u64 unit, u64 *ns)
{
	const char *name = unit_of(text);
	u64 v, one = unit_ns(name, unit);
	int err = one ? read_decimal(&text, one, &v) : -EINVAL;

	if (err)
		return err;
	if (skip_blanks(text) != name || (!*name && *text))
		return -EINVAL;
	if (!*name && !unit && v)
		return -EINVAL;
	*ns = v;
	return 0;
}

int gp_text_read_value(const char *name, const char *text, u64 min_value, u64 max_value,
		       u64 *value)
{
	const char *unit = gp_text_unit(name);
	u64 v;
	int err;

	if (!unit || strcmp(unit, "ns"))
		return gp_text_read_u64(text, min_value, max_value, value);
	err = gp_text_read_time(text, GP_TEXT_NS, &v);
	if (err)
		return err;
	if (v < min_value || v > max_value)
		return -ERANGE;
	*value = v;
	return 0;
}

int gp_text_read_bool(const char *text, bool *value)
{
	static const char *const words[] = { "no", "yes", "false", "true", "0", "1" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(text, words[i])) {
			*value = i % 2;
			return 0;
		}
	}
	return -EINVAL;
}

/* Return: the end. */
static char *append_u64(char *out, u64 value)
{
	u64 weight = 1;

	while (value / weight >= 10)
		weight *= 10;
	for (; weight; weight /= 10)
		*out++ = (char)('0' + value / weight % 10);
	*out = '\0';
	return out;
}

const char *gp_text_u64(u64 value, char *out)
{
	append_u64(out, value);
	return out;
}

const char *gp_text_time(u64 ns, char *out)
{
	u32 i = ns ? LAST_WRITTEN : 0;

	while (ns % units[i].ns)
		i--;
	memcpy(append_u64(out, ns / units[i].ns), units[i].name, sizeof(units[i].name));
	return out;
}

const char *gp_text_unit(const char *name)
{
	static const char *const known[] = { "ns", "ppm" };
	const char *end = NULL;
	u32 i;

	for (; *name; name++)
		if (*name == '_')
			end = name + 1;
	for (i = 0; end && i < ARRAY_SIZE(known); i++)
		if (!strcmp(end, known[i]))
			return known[i];
	return NULL;
}
