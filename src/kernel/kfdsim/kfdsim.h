/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: kfdsim, what stands where amdgpu stands
 *
 * The module is AMD's amdkfd, unmodified, linked with this folder instead of
 * amdgpu, and with gpu/, the simulated GPU, instead of silicon.
 *
 *	amdkfd    ioctls, processes, queues, runlists, events     AMD's code
 *	kfdsim    PCI function, render node, memory, interrupts   this folder
 *	gpu       firmware scheduler, queues, waves, CWSR         shared with sim/
 *
 * A struct kfdsim_device is one PCI function and one KFD node. It embeds the
 * struct amdgpu_device that amdkfd knows, filled as far as amdkfd looks at it.
 *
 * Locks, outermost first; all are taken inside amdkfd's own (dqm_lock is the
 * innermost of these):
 *
 *	cp.lock		mutex; every call into gpu/
 *	vm_lock		rwlock; address spaces and what is mapped in them
 *
 * No code here takes mmap_lock while it holds cp.lock: amdkfd waits for the
 * simulated firmware inside MMU notifiers.
 *
 * Waves of machine code keep kernel addresses of pages, but only while cp.lock is
 * held: whatever takes pages away from a process changes its generation, then waits
 * for cp.lock of the GPUs that have had pages of it, then lets go of them
 * (kfdsim_vm_outdate(), kfdsim_vm_drain()).
 */
#ifndef KFDSIM_H
#define KFDSIM_H

#include <drm/drm_mm.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/xarray.h>

#include "amdgpu.h"
#include "amdgpu_amdkfd.h"
#include "amdgpu_reset.h"

#include "gpu/gpu.h"

#define KFDSIM_BAR_BYTES (2u << 20)	/* doorbell BAR, as gfx9 parts have it */
#define KFDSIM_MAX_MAPPED 64		/* compute slots and copy queues */
#define KFDSIM_MAX_GPUS 8
#define KFDSIM_NR_VMIDS 16
#define KFDSIM_DOORBELL_NONE U64_MAX	/* content of a doorbell that was never rung */

/* The command processor: a gpu and the thread it lives in. */
struct kfdsim_cp {
	struct mutex lock; /* serialises every call into @gpu */
	struct gpu *gpu; /* the model */
	struct gpu_host host; /* what the model sees of the world */
	struct kthread_worker *worker; /* thread */
	struct kthread_work work; /* one round: doorbells, then gpu_advance() */
	struct hrtimer timer; /* starts the next round */
	u32 mapped[KFDSIM_MAX_MAPPED]; /* doorbells, as dword indices, of queues with a slot */
	u32 nr_mapped; /* of @mapped */
	u32 hiq_doorbell; /* doorbell of the HIQ, 0 = none */
	u64 fault_addr; /* where the last access of the GPU went that met no memory */
	u64 rung_ns; /* when a user queue's doorbell was rung last */
	u64 faults_seen; /* of struct kfdsim_arm.nr_faults */
	u64 ran_ns; /* what the thread had run at the last round */
	struct gpu_vmid vmid[KFDSIM_NR_VMIDS]; /* registers, as the driver sets them without HWS */
	bool is_stopped; /* no round sets the timer any more */
	u64 nr_rounds; /* statistics */
	u64 nr_rings; /* statistics: doorbell values seen */
	u64 nr_occupancy; /* statistics: times the waves of all queues were asked for */
};

/* Doorbell pages that processes have mapped: see kfdsim_arm.c. */
struct kfdsim_arm {
	struct mutex lock; /* protects @files; taken inside mmap_lock */
	struct xarray files; /* number of mappings by their struct address_space */
	unsigned long first_page; /* where this GPU's doorbells begin in each of these */
	struct work_struct work; /* takes the pages out of all page tables */
	bool is_watching; /* a page may be in a page table, so the CP has to look at doorbells */
	atomic64_t nr_faults; /* statistics: pages put back */
};

/* Keeps all callers from the hardware for a while. */
struct kfdsim_lock_out {
	struct work_struct work; /* does so */
	struct completion begun; /* it does */
	struct completion end; /* it need not any more */
};

/* One simulated GPU. */
struct kfdsim_device {
	struct amdgpu_device adev; /* what amdkfd sees; its ddev is the DRM device */
	const struct gpu_profile *profile; /* what kind of GPU */
	unsigned int index; /* 0, 1, ... */
	struct amdgpu_reset_domain reset_domain; /* what adev points to */
	struct kfdsim_lock_out lock_out; /* a fault: @reset_domain is locked and no reset follows */
	struct page *bar; /* pages that stand for the doorbell BAR */
	u64 *bar_mem; /* their kernel address */
	struct drm_mm bar_mm; /* which process has which doorbell page */
	struct kfdsim_arm arm; /* the same pages in processes */
	struct page *mmio; /* page that stands for the HDP flush registers */
	struct drm_mm gart_mm; /* GART addresses in use */
	struct mutex gart_lock; /* protects @gart_mm and @bar_mm */
	struct xarray vms; /* struct kfdsim_vm by PASID; under kfdsim_vm_lock */
	u64 vram_bytes; /* size of the simulated VRAM */
	atomic64_t vram_used; /* allocated of it */
	struct kfdsim_cp cp; /* the command processor */
	bool is_leaving; /* no more interrupts and resets: amdkfd lets go. Under cp.lock */
	struct dentry *debugfs; /* folder kfdsim/N */
};

static inline struct kfdsim_device *to_kfdsim(struct amdgpu_device *adev)
{
	return container_of(adev, struct kfdsim_device, adev);
}

/* Memory. */
struct kfdsim_bo {
	struct amdgpu_bo abo; /* what amdkfd sees; its tbo.base is the GEM object */
	struct page **pages; /* NULL until the first touch. Set once, without a lock */
	unsigned long nr_pages; /* of @pages */
	bool is_borrowed; /* the pages belong to another object (user memory, BAR) */
	bool is_away; /* user memory whose pages the kernel has taken back; under kfdsim_vm_lock */
	struct kfdsim_userptr *userptr; /* user memory: what watches it, or NULL */
	u64 vram_charge; /* bytes counted in vram_used */
	void *vaddr; /* kernel mapping of all pages, or NULL */
	struct drm_mm_node gart; /* place in the GART */
	struct drm_mm_node bar; /* place in the doorbell BAR */
};

static inline struct kfdsim_bo *to_kfdsim_bo(struct amdgpu_bo *abo)
{
	return container_of(abo, struct kfdsim_bo, abo);
}

static inline struct kfdsim_bo *gem_to_kfdsim_bo(struct drm_gem_object *gem)
{
	return to_kfdsim_bo(container_of(gem, struct amdgpu_bo, tbo.base));
}

/* What the GPUs of one process share. */
struct kfdsim_process {
	struct amdkfd_process_info info; /* what amdkfd sees */
	/* of pointers to its pages, never 0; under kfdsim_vm_lock */
	u32 generation;
	/* GPUs that have had such pointers; set under kfdsim_vm_lock, by the GPU */
	struct kfdsim_device *user[KFDSIM_MAX_GPUS];
};

static inline struct kfdsim_process *to_kfdsim_process(struct amdkfd_process_info *info)
{
	return container_of(info, struct kfdsim_process, info);
}

/* A GPU address space: one open render node. */
struct kfdsim_vm {
	struct amdgpu_fpriv fpriv; /* what amdkfd sees; its vm.va is the tree of mappings */
	struct kfdsim_device *kdev; /* device */
	u32 pasid; /* process, 0 until amdkfd has taken the VM */
	struct amdkfd_process_info *info; /* what all VMs of a process share, NULL until then */
};

static inline struct kfdsim_vm *to_kfdsim_vm(struct amdgpu_vm *vm)
{
	return container_of(vm, struct kfdsim_vm, fpriv.vm);
}

/* Memory at an address of a VM. */
struct kfdsim_mapping {
	/*
	 * What amdkfd sees; node of the tree. Its bo_va is that of the first mapping of this
	 * memory in this VM: amdkfd counts the queues that use a memory there.
	 */
	struct amdgpu_bo_va_mapping map;
	struct amdgpu_bo_va bo_va; /* what memory, in which VM */
	struct list_head node; /* in kgd_mem.attachments */
};

/* What the GPU does to memory. */
enum kfdsim_access { KFDSIM_READ, KFDSIM_WRITE };

#define KFDSIM_COPY_WORD(type, mem, buf, access)                              \
	do {                                                                  \
		type word;                                                    \
										\
		if ((access) == KFDSIM_READ) {                                \
			/* What the word announces is read after it. */       \
			word = smp_load_acquire((type *)(mem));               \
			memcpy(buf, &word, sizeof(word));                     \
		} else {                                                      \
			memcpy(&word, buf, sizeof(word));                     \
			/* What the word announces was written before it. */  \
			smp_store_release((type *)(mem), word);               \
		}                                                             \
	} while (0)

/*
 * Words are copied as words: driver and clients poll fences and read pointers of 32
 * and 64 bits and packet headers while the GPU writes them, and must not see half of
 * one. The head of a packet is read first: a client writes it last.
 */
static inline void kfdsim_copy(void *mem, void *buf, u32 len, enum kfdsim_access access)
{
	u32 head = 0;

	if (len >= sizeof(u64) && IS_ALIGNED((uintptr_t)mem, sizeof(u64))) {
		if (access == KFDSIM_READ || len == sizeof(u64)) {
			KFDSIM_COPY_WORD(u64, mem, buf, access);
			head = sizeof(u64);
		}
	} else if (len == sizeof(u32) && IS_ALIGNED((uintptr_t)mem, sizeof(u32))) {
		KFDSIM_COPY_WORD(u32, mem, buf, access);
		return;
	} else if (len == sizeof(u16) && IS_ALIGNED((uintptr_t)mem, sizeof(u16))) {
		KFDSIM_COPY_WORD(u16, mem, buf, access);
		return;
	}
	if (access == KFDSIM_READ)
		memcpy(buf + head, mem + head, len - head);
	else
		memcpy(mem + head, buf + head, len - head);
}

/* kfdsim_main.c: parameters */
extern uint kfdsim_slots;
extern uint kfdsim_vmids;
extern uint kfdsim_poll_us;
/* 1: amdkfd is one that maps doorbells lazily itself: no store faults here. */
#ifndef KFDSIM_LOOKS
#define KFDSIM_LOOKS 0
#endif
extern bool kfdsim_arms;
extern uint kfdsim_vram_mb;
extern char *kfdsim_engine;
extern char *kfdsim_handler;
extern uint kfdsim_wave_mb;
extern uint kfdsim_slice;

/* kfdsim_pci.c */
int kfdsim_pci_add(const struct gpu_profile *profile, unsigned int nr);
void kfdsim_pci_remove(void);

/* kfdsim_device.c */
int kfdsim_device_probe(struct pci_dev *pdev, const struct gpu_profile *profile,
			unsigned int index);
void kfdsim_device_remove(struct pci_dev *pdev);

/* kfdsim_drm.c */
extern const struct drm_driver kfdsim_drm_driver;

/* kfdsim_bo.c */
struct kfdsim_bo *kfdsim_bo_create(struct kfdsim_device *kdev, u64 bytes);
int kfdsim_bo_charge_vram(struct kfdsim_device *kdev, struct kfdsim_bo *bo);
void kfdsim_bo_borrow(struct kfdsim_bo *bo, struct page *first);
void *kfdsim_bo_vmap(struct kfdsim_bo *bo);
void kfdsim_bo_put(struct kfdsim_bo *bo);
void *kfdsim_bo_page(struct kfdsim_bo *bo, u64 offset);
void *kfdsim_bo_lock_page(struct kfdsim_bo *bo, u64 offset);
void kfdsim_bo_unlock_page(void *addr);

/* kfdsim_gart.c */
void kfdsim_gart_init(struct kfdsim_device *kdev);
void kfdsim_gart_fini(struct kfdsim_device *kdev);
int kfdsim_gart_copy(struct kfdsim_device *kdev, u64 addr, void *buf, u32 len,
		     enum kfdsim_access access);

/* kfdsim_doorbell.c */
int kfdsim_doorbell_init(struct kfdsim_device *kdev);
void kfdsim_doorbell_fini(struct kfdsim_device *kdev);
u64 kfdsim_doorbell_take(struct kfdsim_device *kdev, u32 index);

/* kfdsim_arm.c */
void kfdsim_arm_init(struct kfdsim_device *kdev);
void kfdsim_arm_fini(struct kfdsim_device *kdev);
void kfdsim_arm_start(struct kfdsim_device *kdev);

/* kfdsim_vm.c */
extern rwlock_t kfdsim_vm_lock;
int kfdsim_vm_open(struct drm_device *ddev, struct drm_file *file);
void kfdsim_vm_close(struct drm_device *ddev, struct drm_file *file);
int kfdsim_vm_map(struct kfdsim_vm *vm, struct kgd_mem *mem, u64 va);
int kfdsim_vm_unmap(struct kfdsim_vm *vm, struct kgd_mem *mem);
bool kfdsim_vm_is_mapped(struct kfdsim_vm *vm, struct kgd_mem *mem);
int kfdsim_vm_copy(struct kfdsim_device *kdev, u32 pasid, u64 addr, void *buf, u32 len,
		   enum kfdsim_access access);
int kfdsim_vm_add64(struct kfdsim_device *kdev, u32 pasid, u64 addr, s64 delta, s64 *value);
int kfdsim_vm_page(struct kfdsim_device *kdev, u32 pasid, u64 addr, bool *can_write, void **at);
u32 kfdsim_vm_generation(struct kfdsim_device *kdev, u32 pasid);
void kfdsim_vm_outdate(struct amdkfd_process_info *info);
void kfdsim_vm_drain(struct amdkfd_process_info *info);

/* kfdsim_userptr.c */
struct kfdsim_userptr;
void kfdsim_userptr_init(struct amdkfd_process_info *info);
void kfdsim_userptr_fini(struct amdkfd_process_info *info);
int kfdsim_userptr_add(struct kfdsim_bo *bo, struct amdkfd_process_info *info,
		       unsigned long addr);
void kfdsim_userptr_remove(struct kfdsim_bo *bo);

/* kfdsim_process.c */
int kfdsim_process_evict(struct kfdsim_device *kdev, u32 pasid);

/* kfdsim_host.c */
extern const struct gpu_host_ops kfdsim_host_ops;

/* kfdsim_cp.c */
int kfdsim_cp_start(struct kfdsim_device *kdev);
void kfdsim_cp_stop(struct kfdsim_device *kdev);
void kfdsim_cp_kick(struct kfdsim_device *kdev);
u64 kfdsim_cp_now(struct kfdsim_cp *cp);
void kfdsim_cp_on_trace(struct kfdsim_cp *cp, const struct gpu_trace *t);

/* kfdsim_kick.c */
void kfdsim_kick_add(struct kfdsim_device *kdev);
void kfdsim_kick_remove(struct kfdsim_device *kdev);

/* kfdsim_um.c */
#ifdef CONFIG_UML
void kfdsim_um_round(void);
#else
static inline void kfdsim_um_round(void)
{
}
#endif

/* kfdsim_reset.c */
int kfdsim_reset_init(struct kfdsim_device *kdev);
void kfdsim_reset_fini(struct kfdsim_device *kdev);
void kfdsim_reset_stop(struct kfdsim_device *kdev);
/* Begins or ends a fault: the reset domain is locked, and no reset follows. */
int kfdsim_reset_lock_out(struct kfdsim_device *kdev, bool begin);

/* kfdsim_debugfs.c */
void kfdsim_debugfs_init(void);
void kfdsim_debugfs_exit(void);
void kfdsim_debugfs_add(struct kfdsim_device *kdev);
void kfdsim_debugfs_remove(struct kfdsim_device *kdev);

#endif
