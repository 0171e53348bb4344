/* SPDX-License-Identifier: MIT */
/*
 * Included before everything else in files of the shim: the versions that these symbols
 * of glibc have had since 2.2.5 instead of those of 2.34, where they moved into libc.
 * A program of an older system, as in a container, could not load the library otherwise.
 */
#ifndef GP_SHIM_OLDLIBC_H
#define GP_SHIM_OLDLIBC_H

#if defined(__x86_64__) && defined(__linux__)
#define SHIM_OLD(name, version) __asm__(".symver " #name "," #name "@GLIBC_" version)
SHIM_OLD(dladdr, "2.2.5");
SHIM_OLD(dlclose, "2.2.5");
SHIM_OLD(dlopen, "2.2.5");
SHIM_OLD(dlsym, "2.2.5");
SHIM_OLD(pthread_attr_setstacksize, "2.2.5");
SHIM_OLD(pthread_create, "2.2.5");
SHIM_OLD(pthread_join, "2.2.5");
SHIM_OLD(pthread_once, "2.2.5");
SHIM_OLD(pthread_setname_np, "2.12");
SHIM_OLD(pthread_sigmask, "2.2.5");
#endif

#endif
