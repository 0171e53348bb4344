// SPDX-License-Identifier: MIT
#include "daemon/gpd_util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int gpd_log_level = LOG_INFO;

uint64_t gpd_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * GPD_NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* systemd says which stream is the journal's; one that was redirected since is not. */
static bool is_journal(int fd)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 && !fstat(fd, &st) &&
	       st.st_dev == dev && st.st_ino == ino;
}

void gpd_log(int level, const char *format, ...)
{
	static int with_level = -1;
	char line[512];
	va_list args;

	if (level > gpd_log_level)
		return;
	if (with_level < 0)
		with_level = is_journal(STDERR_FILENO);
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (with_level)
		fprintf(stderr, "<%d>gpreemptd: %s\n", level, line);
	else
		fprintf(stderr, "gpreemptd: %s\n", line);
}

void gpd_log_lines(int level, const char *text)
{
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		gpd_log(level, "%.*s", (int)len, text);
	}
}

/* Longer than this and it is full anyway; keeps the product below in range. */
#define BUCKET_NS_MAX (1000 * GPD_NS_PER_SEC)

int gpd_timer_add(sd_event *event, sd_event_source **timer, sd_event_time_handler_t handler,
		  void *data)
{
	int err = sd_event_add_time(event, timer, CLOCK_MONOTONIC, 0, 1, handler, data);

	return err < 0 ? err : sd_event_source_set_enabled(*timer, SD_EVENT_OFF);
}

int gpd_defer_add(sd_event *event, sd_event_source **call, int64_t priority,
		  sd_event_handler_t handler, void *data)
{
	int err = sd_event_add_defer(event, call, handler, data);

	if (err >= 0)
		err = sd_event_source_set_priority(*call, priority);
	return err < 0 ? err : sd_event_source_set_enabled(*call, SD_EVENT_OFF);
}

void gpd_timer_set(sd_event_source *timer, uint64_t at_ns)
{
	if (at_ns != U64_MAX)
		sd_event_source_set_time(timer, at_ns / 1000 + 1);
	sd_event_source_set_enabled(timer, at_ns == U64_MAX ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
}

bool gpd_timer_is_on(sd_event_source *timer)
{
	return sd_event_source_get_enabled(timer, NULL) > 0;
}

bool gpd_bucket_take(struct gpd_bucket *b, uint64_t rate_per_s, uint64_t burst, uint64_t now_ns)
{
	uint64_t full = burst * 1000;
	uint64_t passed_ns = now_ns - b->last_ns;
	uint64_t gained;

	if (!b->last_ns || passed_ns > BUCKET_NS_MAX) {
		b->tokens = full;
		b->last_ns = now_ns;
	} else {
		/* What is less than a thousandth of a token counts the next time. */
		gained = passed_ns * rate_per_s / 1000000;
		b->last_ns += gained * 1000000 / rate_per_s;
		b->tokens = b->tokens + gained < full ? b->tokens + gained : full;
	}
	if (b->tokens < 1000)
		return false;
	b->tokens -= 1000;
	return true;
}

/* The name may hold blanks and parentheses: the last one ends it. */
static int parse_stat(char *text, struct gpd_proc *proc)
{
	char *open = strchr(text, '(');
	char *close = strrchr(text, ')');
	int field = 3;
	char *word;
	char *save;

	if (!open || !close || close[1] != ' ')
		return -EIO;
	*close = '\0';
	gpd_text_clean(proc->comm, sizeof(proc->comm), open + 1, strlen(open + 1));
	for (word = strtok_r(close + 2, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (field == 3)
			proc->state = word[0];
		if (field == 4)
			proc->parent = (pid_t)strtol(word, NULL, 10);
		if (field == 22) {
			proc->start_time = strtoull(word, NULL, 10);
			return 0;
		}
		field++;
	}
	return -EIO;
}

int gpd_proc_read(pid_t pid, struct gpd_proc *proc)
{
	char path[64];
	char text[1024];
	struct stat st;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	len = read(fd, text, sizeof(text) - 1);
	if (len <= 0 || fstat(fd, &st)) {
		close(fd);
		return -ESRCH;
	}
	close(fd);
	text[len] = '\0';
	proc->uid = st.st_uid;
	return parse_stat(text, proc);
}

/* Length of the UTF-8 sequence at @s, 0 if it is none that may be shown. */
static size_t sequence(const unsigned char *s, size_t len)
{
	size_t nr = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 :
		    s[0] >= 0xe1 && s[0] < 0xf0 && s[0] != 0xed ? 3 : 0;
	size_t i;

	if (!nr || nr > len || s[0] < 0x20 || s[0] == 0x7f)
		return 0;
	for (i = 1; i < nr; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* C1 controls */
	if (nr == 2 && s[0] == 0xc2 && s[1] < 0xa0)
		return 0;
	return nr;
}

bool gpd_proc_is(pid_t pid, uint64_t start_time)
{
	struct gpd_proc proc;

	return !gpd_proc_read(pid, &proc) && proc.start_time == start_time;
}

void gpd_text_clean(char *dst, size_t size, const char *src, size_t len)
{
	size_t used = 0;
	size_t i = 0;

	while (i < len && src[i]) {
		size_t nr = sequence((const unsigned char *)src + i, len - i);

		if (used + (nr ? nr : 1) >= size)
			break;
		if (nr)
			memcpy(dst + used, src + i, nr);
		else
			dst[used] = '?';
		used += nr ? nr : 1;
		i += nr ? nr : 1;
	}
	dst[used] = '\0';
}
