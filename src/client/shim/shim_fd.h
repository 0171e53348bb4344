/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of the shim in the application's process. A program that becomes a daemon closes
 * every number there is, and its next file gets one of them. A file of the application must
 * not be written to, read from or closed; so before each use it is asked what the number is
 * of. What is left is the moment between the question and the call.
 */
#ifndef GP_SHIM_FD_H
#define GP_SHIM_FD_H

#include <stdbool.h>
#include <stdint.h>

/* What a descriptor is of. */
struct shim_fd_id {
	uint64_t dev; /* device */
	uint64_t ino; /* inode; 0 = not known, whatever is there is taken for the shim's */
};

/*
 * A descriptor that was just made is to stay: it gets a number that programs do not count on,
 * where there is one. Return: its number from now on.
 */
int shim_fd_keep(int fd, struct shim_fd_id *id);

/*
 * What a file is that was just opened by name and is closed soon. Not by its number, which
 * may be the program's by now.
 */
void shim_fd_note_path(const char *path, struct shim_fd_id *id);

/* Is it still the shim's? */
bool shim_fd_is_ours(int fd, const struct shim_fd_id *id);

/* Closes it if it is; -1 is nothing. */
void shim_fd_close(int fd, const struct shim_fd_id *id);

#endif
