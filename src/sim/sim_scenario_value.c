// SPDX-License-Identifier: MIT
#include "sim/sim_scenario_value.h"

#include <string.h>

int sim_value_percent(const char *text, u64 *ppm)
{
	return gp_text_read_decimal(text, SIM_PPM_ONE / 100, "%", ppm);
}

int sim_value_bytes(const char *text, u64 *bytes)
{
	size_t len = strlen(text);
	char unit = len ? text[len - 1] : '\0';

	if (unit == 'K')
		return gp_text_read_decimal(text, 1024, "K", bytes);
	if (unit == 'M')
		return gp_text_read_decimal(text, 1024 * 1024, "M", bytes);
	return gp_text_read_u64(text, 0, U64_MAX, bytes);
}

int sim_value_rate(const char *text, u64 *period_ns)
{
	u64 micro;
	int err = gp_text_read_decimal(text, 1000000, "/s", &micro);

	if (err)
		return err;
	if (!micro)
		return -ERANGE;
	*period_ns = (SIM_NS_PER_S * 1000000 + micro / 2) / micro;
	return 0;
}

bool sim_value_is_name(const char *text)
{
	size_t len = strlen(text);
	size_t legal = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-");

	return len && len < SIM_NAME_MAX && legal == len;
}

char *sim_value_word(char **text)
{
	char *word = *text + strspn(*text, " \t");
	char *end;

	if (!*word)
		return NULL;
	end = word + strcspn(word, " \t");
	*text = *end ? end + 1 : end;
	*end = '\0';
	return word;
}
