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

/**
 * struct gpu_map_entry - a queue the firmware knows of
 * @pasid: process
 * @quantum: of the process, in profile units
 * @regs: of the process, for its VMID
 * @doorbell: queue
 * @is_static: not moved by rotation, not unmapped by the dynamic selector
 * @mqd: GART address
 * @wptr_addr: from the packet, used if the MQD has none
 */
struct gpu_map_entry {
	u32 pasid;
	u32 quantum;
	struct gpu_vmid regs;
	u32 doorbell;
	bool is_static;
	u64 mqd;
	u64 wptr_addr;
};

/**
 * struct gpu_runlist - what the last RUN_LIST asked for
 * @entry: queues in order of the list, those of a process together
 * @nr: how many
 * @max: room in @entry
 * @cursor: where the next turn begins
 * @max_processes: mapped at a time
 * @is_rotating: not all of it fits
 * @quantum_event: GPU_EVENT_QUANTUM
 */
struct gpu_runlist {
	struct gpu_map_entry *entry;
	u32 nr;
	u32 max;
	u32 cursor;
	u32 max_processes;
	bool is_rotating;
	struct gpu_event quantum_event;
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

/**
 * struct gpu_firmware - the scheduler firmware and its queue, the HIQ
 * @state: what it does
 * @is_loaded: it has a HIQ
 * @is_rotation: what it does is a turn of the runlist
 * @is_rotation_due: the quantum ended while it was busy
 * @mqd: of the HIQ
 * @stride: to the next XCC's HIQ MQD
 * @doorbell: of the HIQ
 * @ring: GART address
 * @ring_mask: dwords minus 1
 * @rptr: next dword, modulo ring
 * @wptr: end of what was written, modulo ring
 * @rptr_addr: where @rptr is reported
 * @packet: packet under way
 * @event: GPU_EVENT_FIRMWARE
 * @leaving: slots the unmap under way takes out
 * @load: queues the map under way brings in
 * @load_slot: and their slots
 * @nr_load: how many
 * @load_at: restore: the one under way
 * @vmid_mask: VMIDs the firmware may use
 * @max_slots: slots it may use
 * @wait_time2: the grace register
 * @process: that of MAP_QUEUES outside a runlist
 */
struct gpu_firmware {
	enum gpu_firmware_state state;
	bool is_loaded;
	bool is_rotation;
	bool is_rotation_due;
	u64 mqd;
	u32 stride;
	u32 doorbell;
	u64 ring;
	u32 ring_mask;
	u32 rptr;
	u32 wptr;
	u64 rptr_addr;
	u32 packet[GPU_HIQ_PACKET_DW];
	struct gpu_event event;
	u32 leaving;
	struct gpu_map_entry load[GPU_MAX_SLOTS];
	u8 load_slot[GPU_MAX_SLOTS];
	u32 nr_load;
	u32 load_at;
	u32 vmid_mask;
	u32 max_slots;
	u32 wait_time2;
	struct gpu_map_entry process;
};

#endif
