# SPDX-License-Identifier: MIT
"""libgpreempt as cffi sees it: include/gpreempt/gpreempt.h without its comments.

Nothing is compiled: the library is opened when it is first needed. tests/python compares every
struct, member and function here with the header, and every size with gpreempt_sizeof().
"""
import functools
import os

import cffi

SONAME = "libgpreempt.so.0"

CDEF = """
#define GPREEMPT_NAME_LEN 32
#define GPREEMPT_PRIO_MAX 15
#define GPREEMPT_PRIO_DEFAULT 7
#define GPREEMPT_QUEUE_ALL 0xffffffff
#define GPREEMPT_OPEN_DAEMON 1
#define GPREEMPT_OPEN_DIRECT 2
#define GPREEMPT_MECH_SHIM 1
#define GPREEMPT_MECH_DBG 2
#define GPREEMPT_MECH_SIM 4
#define GPREEMPT_MECH_KERNEL 8
#define GPREEMPT_ATTR_PRIO 1
#define GPREEMPT_ATTR_WEIGHT 2
#define GPREEMPT_ATTR_LATENCY_CRITICAL 4
#define GPREEMPT_ATTR_SLICE 8
#define GPREEMPT_ATTR_DEADLINE 16
#define GPREEMPT_ATTR_CLASS 32
#define GPREEMPT_ATTR_GROUP 64
#define GPREEMPT_HELD_SCHED 1
#define GPREEMPT_HELD_MANUAL 2
#define GPREEMPT_MONITOR_TRACE 1

struct gpreempt;

enum gpreempt_source {
    GPREEMPT_SOURCE_UNKNOWN = 0,
    GPREEMPT_SOURCE_SYSFS = 1,
    GPREEMPT_SOURCE_SNAPSHOT = 2,
    GPREEMPT_SOURCE_DEBUGFS = 3,
    GPREEMPT_SOURCE_SHIM = 4,
    GPREEMPT_SOURCE_MEMORY = 5,
    GPREEMPT_SOURCE_DAEMON = 6,
    GPREEMPT_SOURCE_KERNEL = 7,
};
const char *gpreempt_source_name(enum gpreempt_source source);

struct gpreempt_value {
    uint64_t value;
    uint32_t source;
    uint32_t pad;
};
int gpreempt_open(struct gpreempt **out, unsigned int flags, const char *socket);
void gpreempt_close(struct gpreempt *g);
const char *gpreempt_strerror(const struct gpreempt *g);
void gpreempt_free(void *p);

struct gpreempt_caps {
    uint32_t size;
    uint32_t mechanisms;
    bool daemon;
    bool privileged;
    uint32_t kfd_major;
    uint32_t kfd_minor;
    uint32_t nr_nodes;
    int32_t hws;
    int32_t cwsr;
    int32_t ptrace_scope;
    uint32_t reserved[6];
};
int gpreempt_get_caps(struct gpreempt *g, struct gpreempt_caps *caps);

struct gpreempt_node {
    uint32_t gpu_id;
    uint32_t index;
    char name[32];
    struct gpreempt_value nr_xcc;
    struct gpreempt_value nr_cu;
    struct gpreempt_value gfx_target;
    struct gpreempt_value cwsr_bytes;
    bool enabled;
    char policy[32];
    char breaker[32];
    uint32_t gpu;
    uint32_t pci_domain;
    uint32_t pci_address;
    uint32_t render_minor;
    uint64_t unique_id;
    uint64_t reserved[1];
};
int gpreempt_get_nodes(struct gpreempt *g, struct gpreempt_node **nodes, size_t *nr);

struct gpreempt_attr {
    uint32_t valid;
    uint32_t prio;
    uint32_t weight;
    bool latency_critical;
    bool no_preempt;
    uint64_t slice_ns;
    uint64_t deadline_ns;
    char klass[32];
    char group[32];
    uint64_t reserved[4];
};

struct gpreempt_process {
    uint32_t pid;
    struct gpreempt_value uid;
    char comm[32];
    uint32_t mechanism;
    uint32_t nr_queues;
    struct gpreempt_value nr_busy;
    char state[32];
    struct gpreempt_attr attr;
    uint64_t wait_p50_ns;
    uint64_t wait_p99_ns;
    uint64_t wait_p999_ns;
    uint64_t reserved[1];
};
int gpreempt_get_processes(struct gpreempt *g, struct gpreempt_process **processes, size_t *nr);

struct gpreempt_total {
    char group[GPREEMPT_NAME_LEN];
    uint64_t account;
    uint32_t is_over;
    uint32_t reserved;
    uint64_t run_ns;
    uint64_t off_ns;
    uint64_t off_max_ns;
    uint64_t nr_preempted;
    uint64_t nr_waits;
    uint64_t wait_ns;
    uint64_t wait_p99_ns;
    uint64_t reserved2[3];
};
int gpreempt_get_totals(struct gpreempt *g, const char *group, struct gpreempt_total **totals,
                        size_t *nr);

struct gpreempt_queue {
    uint32_t pid;
    uint32_t gpu_id;
    uint32_t queue_id;
    uint32_t held;
    struct gpreempt_value type;
    struct gpreempt_value compute;
    struct gpreempt_value prio;
    struct gpreempt_value ring_addr;
    struct gpreempt_value ring_bytes;
    struct gpreempt_value rptr_addr;
    struct gpreempt_value wptr_addr;
    struct gpreempt_value rptr;
    struct gpreempt_value wptr;
    struct gpreempt_value busy;
    uint64_t reserved[4];
};
int gpreempt_get_all_queues(struct gpreempt *g, struct gpreempt_queue **queues, size_t *nr);

struct gpreempt_ref {
    uint32_t pid;
    uint32_t gpu_id;
    uint32_t queue_id;
    int32_t result;
};
int gpreempt_suspend_queues(struct gpreempt *g, struct gpreempt_ref *refs, size_t nr,
                uint64_t lease_ns, uint64_t timeout_ns);
int gpreempt_resume_queues(struct gpreempt *g, struct gpreempt_ref *refs, size_t nr,
               uint64_t timeout_ns);
int gpreempt_get_attr(struct gpreempt *g, uint32_t pid, struct gpreempt_attr *attr);
int gpreempt_set_attr(struct gpreempt *g, uint32_t pid, const struct gpreempt_attr *attr);
int gpreempt_self_hold(unsigned int flags);
int gpreempt_self_release(void);
int gpreempt_grant(struct gpreempt *g, uint32_t pid, const char *cgroup,
                   const struct gpreempt_attr *attr, uint64_t lease_ns);
int gpreempt_revoke(struct gpreempt *g, uint32_t pid, const char *cgroup);
int gpreempt_attach(struct gpreempt *g, uint32_t pid);
int gpreempt_detach(struct gpreempt *g, uint32_t pid);
int gpreempt_get_policy(struct gpreempt *g, uint32_t gpu_id, char name[32]);
int gpreempt_set_policy(struct gpreempt *g, uint32_t gpu_id, const char *name);
int gpreempt_get_param(struct gpreempt *g, uint32_t gpu_id, const char *name, uint64_t *value);
int gpreempt_set_param(struct gpreempt *g, uint32_t gpu_id, const char *name, uint64_t value);
int gpreempt_set_enabled(struct gpreempt *g, uint32_t gpu_id, bool enabled);

struct gpreempt_stats {
    uint32_t size;
    uint32_t pad;
    uint64_t nr_switches;
    uint64_t nr_preemptions;
    uint64_t nr_resumes;
    uint64_t nr_failed;
    uint64_t nr_deadline;
    uint64_t nr_starvation;
    uint64_t cost_ns;
    uint64_t off_max_ns;
    uint64_t switch_p50_ns;
    uint64_t switch_p99_ns;
    uint64_t off_p50_ns;
    uint64_t off_p99_ns;
    uint64_t wait_p50_ns;
    uint64_t wait_p99_ns;
    uint64_t wait_p999_ns;
};
int gpreempt_get_stats(struct gpreempt *g, uint32_t gpu_id, struct gpreempt_stats *stats);

struct gpreempt_event {
    uint64_t time_ns;
    char kind[32];
    uint32_t pid;
    uint32_t gpu_id;
    uint32_t queue_id;
    uint32_t pad;
    char text[160];
};
int gpreempt_monitor_fd(struct gpreempt *g, unsigned int flags);
int gpreempt_monitor_read(struct gpreempt *g, struct gpreempt_event *event);
int gpreempt_monitor_read_text(struct gpreempt *g, char **event);
int gpreempt_call(struct gpreempt *g, const char *method, const char *parameters, char **reply);
size_t gpreempt_sizeof(const char *name);
"""

STRUCTS = ("value", "caps", "node", "attr", "process", "total", "queue", "ref", "stats", "event")

ffi = cffi.FFI()
ffi.cdef(CDEF)


def source_tree():
    """The tree this package is in, or None if it is installed."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    header = os.path.join(root, "include", "gpreempt", "gpreempt.h")
    return root if os.path.exists(header) else None


def in_build_tree(*path):
    """A file that `tools/build gcc` made in the source tree, or None."""
    root = source_tree()
    full = os.path.join(root, "build", "gcc", "src", *path) if root else ""
    return full if os.path.exists(full) else None


def library_path():
    """$GPREEMPT_LIBRARY; in a source tree the library built there; else the installed one."""
    return os.environ.get("GPREEMPT_LIBRARY") or in_build_tree("lib", SONAME) or SONAME


@functools.lru_cache(maxsize=None)
def library():
    """The library, opened once. Raises OSError if there is none."""
    return ffi.dlopen(library_path())
