/* SPDX-License-Identifier: MIT */
/*
 * The environment of a client, as gpreempt run and a container's specification write it and as
 * the shim reads it.
 */
#ifndef DRV_ENVIRON_H
#define DRV_ENVIRON_H

#define DRV_ENV_SOCKET "GPREEMPT_SOCKET"
#define DRV_ENV_CLASS "GPREEMPT_CLASS"
#define DRV_ENV_GROUP "GPREEMPT_GROUP"
#define DRV_ENV_PRIORITY "GPREEMPT_PRIORITY"
#define DRV_ENV_WEIGHT "GPREEMPT_WEIGHT"
#define DRV_ENV_SLICE_NS "GPREEMPT_SLICE_NS"
#define DRV_ENV_DEADLINE_NS "GPREEMPT_DEADLINE_NS"
#define DRV_ENV_LATENCY_CRITICAL "GPREEMPT_LATENCY_CRITICAL"
#define DRV_ENV_DEBUG "GPREEMPT_DEBUG"

#endif
