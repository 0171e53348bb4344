// SPDX-License-Identifier: MIT
#include "sim/sim_scenario_value.h"

#include <stdio.h>
#include <string.h>

struct unit {
	const char *name;
	u64 factor;
};

static const struct unit duration_units[] = {
	{ "ns", 1 },
	{ "us", GP_NS_PER_US },
	{ "ms", GP_NS_PER_MS },
	{ "s", GP_NS_PER_S },
	{ "min", 60 * GP_NS_PER_S },
	{ "h", 3600 * GP_NS_PER_S },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Reads digits into @value; gives what follows, or NULL if it does not fit. */
static const char *read_digits(const char *text, u64 *value)
{
	u64 v = 0;

	for (; is_digit(*text); text++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (u64)(*text - '0'), &v))
			return NULL;
	}
	*value = v;
	return text;
}

static u64 power_of_ten(u32 exponent)
{
	u64 p = 1;

	while (exponent--)
		p *= 10;
	return p;
}

/*
 * Reads "12" or "12.34" as 12.34 * factor. Digits of the fraction that are worth
 * less than one are refused, so that nothing is rounded silently.
 */
static int read_decimal(const char **text, u64 factor, u64 *value)
{
	const char *p = *text;
	u64 whole, weight = factor, v;

	if (!is_digit(*p))
		return -EINVAL;
	p = read_digits(p, &whole);
	if (!p || __builtin_mul_overflow(whole, factor, &v))
		return -ERANGE;
	if (*p == '.') {
		if (!is_digit(*++p))
			return -EINVAL;
		for (; is_digit(*p); p++) {
			if ((!weight || weight % 10) && *p != '0')
				return -EINVAL;
			weight /= 10;
			if (__builtin_add_overflow(v, (u64)(*p - '0') * weight, &v))
				return -ERANGE;
		}
	}
	*text = p;
	*value = v;
	return 0;
}

int gp_value_u64(const char *text, u64 *value)
{
	const char *end;
	u64 v;

	if (!is_digit(*text))
		return -EINVAL;
	end = read_digits(text, &v);
	if (!end)
		return -ERANGE;
	if (*end)
		return -EINVAL;
	*value = v;
	return 0;
}

int gp_value_scaled(const char *text, u32 digits, u64 *value)
{
	u64 v;
	int err = read_decimal(&text, power_of_ten(digits), &v);

	if (err)
		return err;
	if (*text)
		return -EINVAL;
	*value = v;
	return 0;
}

int gp_value_percent(const char *text, u64 *ppm)
{
	u64 v;
	int err = read_decimal(&text, GP_PPM_ONE / 100, &v);

	if (err)
		return err;
	if (strcmp(text, "%"))
		return -EINVAL;
	*ppm = v;
	return 0;
}

int gp_value_bytes(const char *text, u64 *bytes)
{
	const char *end;
	u64 v, factor = 1;

	if (!is_digit(*text))
		return -EINVAL;
	end = read_digits(text, &v);
	if (!end)
		return -ERANGE;
	if (*end == 'K')
		factor = 1024;
	else if (*end == 'M')
		factor = 1024 * 1024;
	if (factor != 1)
		end++;
	if (*end)
		return -EINVAL;
	if (__builtin_mul_overflow(v, factor, &v))
		return -ERANGE;
	*bytes = v;
	return 0;
}

int gp_value_rate(const char *text, u64 *period_ns)
{
	u64 micro;
	int err = read_decimal(&text, 1000000, &micro);

	if (err)
		return err;
	if (strcmp(text, "/s"))
		return -EINVAL;
	if (!micro)
		return -ERANGE;
	*period_ns = (GP_NS_PER_S * 1000000 + micro / 2) / micro;
	return 0;
}

int gp_value_bool(const char *text, bool *value)
{
	if (strcmp(text, "yes") && strcmp(text, "no"))
		return -EINVAL;
	*value = !strcmp(text, "yes");
	return 0;
}

bool gp_value_is_name(const char *text)
{
	size_t len = strlen(text);
	size_t legal = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-");

	return len && len < GP_NAME_MAX && legal == len;
}

char *gp_value_word(char **text)
{
	char *word = *text;
	char *end;

	while (is_blank(*word))
		word++;
	if (!*word)
		return NULL;
	end = word + strcspn(word, " \t");
	*text = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

int gp_duration_parse(const char *text, u64 *ns)
{
	for (u32 i = 0; i < ARRAY_SIZE(duration_units); i++) {
		const char *p = text;
		u64 v;
		int err = read_decimal(&p, duration_units[i].factor, &v);

		if (!err && !v && !*p) {
			*ns = 0;
			return 0;
		}
		/* A finer unit may fail on digits that this one has room for. */
		if (err)
			continue;
		while (is_blank(*p))
			p++;
		if (strcmp(p, duration_units[i].name))
			continue;
		*ns = v;
		return 0;
	}
	return -EINVAL;
}

const char *gp_value_duration_text(u64 ns, char *out, size_t size)
{
	u32 i = 3;

	/* Not minutes and hours: "90s" reads better than "1.5min". */
	while (i && ns % duration_units[i].factor)
		i--;
	if (!ns)
		i = 0;
	snprintf(out, size, "%llu%s", (unsigned long long)(ns / duration_units[i].factor),
		 duration_units[i].name);
	return out;
}
