/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The scheduler firmware, its queue (HIQ) and its runlist. Part of struct gpu,
 * see gpu_types.h.
 */
#ifndef GP_GPU_FIRMWARE_TYPES_H
#define GP_GPU_FIRMWARE_TYPES_H

#include "gpu/event.h"
#include "gpu/gpu.h"

#define GPU_HIQ_PACKET_DW 16 /* as much of a packet as anything looks at */

/* A queue the firmware knows of. */
struct gpu_map_entry {
	u32 pasid;	/* process */
	u32 quantum;	/* of the process, in profile units */
	struct gpu_vmid regs;	/* of the process, for its VMID */
	u32 doorbell;	/* queue */
	bool is_static;	/* not moved by rotation, not unmapped by the dynamic selector */
	u64 mqd;	/* GART address */
	u64 wptr_addr;	/* from the packet, used if the MQD has none */
};

/* What the last RUN_LIST asked for. */
struct gpu_runlist {
	/* queues in order of the list, those of a process together */
	struct gpu_map_entry *entry;
	u32 nr;	/* how many */
	u32 max;	/* room in @entry */
	u32 cursor;	/* where the next turn begins */
	u32 max_processes;	/* mapped at a time */
	bool is_rotating;	/* not all of it fits */
	struct gpu_event quantum_event;	/* GPU_EVENT_QUANTUM */
};

enum gpu_firmware_state {
	GPU_FIRMWARE_IDLE,
	GPU_FIRMWARE_PACKET,	/* a short packet */
	GPU_FIRMWARE_GRACE,	/* queues leave, waves may still end */
	GPU_FIRMWARE_SAVE,	/* waves are written out */
	GPU_FIRMWARE_DRAIN,	/* some queues cannot be saved and run out */
	GPU_FIRMWARE_MAP,	/* queues come */
	GPU_FIRMWARE_RESTORE,	/* their waves are read back, one queue after the other */
};

/* The scheduler firmware and its queue, the HIQ. */
struct gpu_firmware {
	enum gpu_firmware_state state;	/* what it does */
	bool is_loaded;	/* it has a HIQ */
	bool is_rotation;	/* what it does is a turn of the runlist */
	bool is_rotation_due;	/* the quantum ended while it was busy */
	u64 mqd;	/* of the HIQ */
	u32 stride;	/* to the next XCC's HIQ MQD */
	u32 doorbell;	/* of the HIQ */
	u64 ring;	/* GART address */
	u32 ring_mask;	/* dwords minus 1 */
	u32 rptr;	/* next dword, modulo ring */
	u32 wptr;	/* end of what was written, modulo ring */
	u64 rptr_addr;	/* where @rptr is reported */
	u32 packet[GPU_HIQ_PACKET_DW];	/* packet under way */
	struct gpu_event event;	/* GPU_EVENT_FIRMWARE */
	u32 leaving;	/* slots the unmap under way takes out */
	struct gpu_map_entry load[GPU_MAX_SLOTS];	/* queues the map under way brings in */
	u8 load_slot[GPU_MAX_SLOTS];	/* and their slots */
	u32 nr_load;	/* how many */
	u32 load_at;	/* restore: the one under way */
	u32 vmid_mask;	/* VMIDs the firmware may use */
	u32 max_slots;	/* slots it may use */
	u32 wait_time2;	/* the grace register */
	struct gpu_map_entry process;	/* that of MAP_QUEUES outside a runlist */
};

#endif
