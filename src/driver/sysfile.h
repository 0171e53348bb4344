/* SPDX-License-Identifier: MIT */
/*
 * Small files of the kernel. Every call takes a prefix for the path, so that a
 * tree of copies can stand for the machine; NULL is the machine itself.
 */
#ifndef GP_MECHANISM_SYSFILE_H
#define GP_MECHANISM_SYSFILE_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DRV_SYSFILE_PATH_MAX 256

/**
 * drv_sysfile_path() - build a path
 * @out: DRV_SYSFILE_PATH_MAX bytes
 * @root: prefix or NULL
 * @fmt: path, as for printf
 *
 * Return: 0 or -ENAMETOOLONG.
 */
int drv_sysfile_path(char *out, const char *root, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * drv_sysfile_text() - first bytes of a file, without a newline at their end
 * @path: file
 * @out: ended by a zero
 * @size: room in @out
 *
 * Return: length or -errno.
 */
int drv_sysfile_text(const char *path, char *out, size_t size);

/**
 * drv_sysfile_number() - a file that is one number
 * @path: file
 * @out: written on success only
 *
 * Return: 0, -EINVAL not a number, -errno.
 */
int drv_sysfile_number(const char *path, uint64_t *out);

/**
 * drv_sysfile_parse() - a whole text as a number
 * @text: decimal, octal or hexadecimal as in C
 * @out: written on success only
 *
 * Return: 0, -EINVAL, -ERANGE.
 */
int drv_sysfile_parse(const char *text, uint64_t *out);

/**
 * drv_sysfile_next() - next entry of a folder that is a number
 * @dir: folder
 * @out: the number; below 2^32
 *
 * Return: 1, or 0 at the end.
 */
int drv_sysfile_next(DIR *dir, uint32_t *out);

#endif
