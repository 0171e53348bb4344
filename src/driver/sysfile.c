// SPDX-License-Identifier: MIT
#include "driver/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int drv_sysfile_path(char *out, const char *root, const char *fmt, ...)
{
	int prefix = snprintf(out, DRV_SYSFILE_PATH_MAX, "%s", root ? root : "");
	va_list ap;
	int n;

	if (prefix < 0 || prefix >= DRV_SYSFILE_PATH_MAX)
		return -ENAMETOOLONG;
	va_start(ap, fmt);
	n = vsnprintf(out + prefix, (size_t)(DRV_SYSFILE_PATH_MAX - prefix), fmt, ap);
	va_end(ap);
	return n < 0 || n >= DRV_SYSFILE_PATH_MAX - prefix ? -ENAMETOOLONG : 0;
}

int drv_sysfile_text(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, out, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	while (n > 0 && out[n - 1] == '\n')
		n--;
	out[n] = 0;
	return (int)n;
}

int drv_sysfile_parse(const char *text, uint64_t *out)
{
	unsigned long long value;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno)
		return -errno;
	if (*end)
		return -EINVAL;
	*out = value;
	return 0;
}

int drv_sysfile_number(const char *path, uint64_t *out)
{
	char text[32];
	int r = drv_sysfile_text(path, text, sizeof(text));

	return r < 0 ? r : drv_sysfile_parse(text, out);
}

int drv_sysfile_next(DIR *dir, uint32_t *out)
{
	struct dirent *e;
	uint64_t value;

	while ((e = readdir(dir))) {
		if (!drv_sysfile_parse(e->d_name, &value) && value < UINT32_MAX) {
			*out = (uint32_t)value;
			return 1;
		}
	}
	return 0;
}
