/* SPDX-License-Identifier: MIT */
/*
 * What is behind gpd_module.h; for gpd_module*.c alone.
 */
#ifndef GPD_MODULE_TYPES_H
#define GPD_MODULE_TYPES_H

#include "driver/module.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_ops.h"

/* A node as the module sees it. */
struct gpd_module_node {
	uint64_t turn; /* when it was read */
	char policy[GPREEMPT_ABI_NAME_LEN];
	struct gp_node_stats stats;
	struct gp_hist detect;	  /* from a doorbell's fault to the scheduler */
	struct gpd_counts counts; /* the rest */
};

/* The module. */
struct gpd_module {
	bool used;			   /* it schedules */
	struct gpreempt_ioc_caps caps;	   /* what it can */
	sd_event_source *watch;		   /* on the folder of the device */
	int fd;				   /* device for this turn of the loop, -1 = closed */
	sd_event_source *close;		   /* closes it when the turn is over */
	uint64_t turn;			   /* number of turns in which it was used */
	struct gpreempt_ioc_queue *queues; /* list of this turn, NULL = not read yet */
	size_t nr_queues;
	bool is_listed;		  /* it was read */
	uint32_t nr_holds;	  /* holds by hand */
	int hold_fd;		  /* device they hang on, -1 = none */
	struct gp_tree processes; /* what was said of processes */
	struct gp_tree groups;	  /* the same in the order of user and group */
	/* Of these, up to which process it was looked for those that ended. */
	pid_t looked_at;
	uint64_t nr_words; /* how often something was said of a process */
	int event_fd;		   /* device that gives events, -1 = none are wanted */
	sd_event_source *event_io; /* in the loop */
	uint64_t nr_seen;	   /* switches so far */
	sd_event_source *cgroup_timer; /* comes by the cgroups of processes; on while used */
	struct gpd_module_list cgroup_list; /* whose these are, while a pass is in hand */
	bool cgroup_failed;	   /* it was logged that the module does not take what is said */
};

/* Name a process so that it cannot become another one: a pidfd, -ESRCH; what /proc says. */
int gpd_module_pidfd(pid_t pid, struct gpd_proc *proc);

/* gpd_node_ops.count_queues of gpd_module_list.c. */
void gpd_module_count(struct gpd_node *n, uint32_t *nr, uint32_t *nr_busy);

/* A Process of the control interface. */
json_t *gpd_module_process(struct gpd *d, pid_t pid);

/*
 * Attributes of a process: numbers of the module, names of the daemon, which are those at the end
 * of the way. 0 or -errno.
 */
int gpd_module_attrs(struct gpd *d, pid_t pid, struct gpd_module_way *way, struct gpd_attrs *attrs);

/* A few parents on the way from a process, which begins with the first call. True = it is over. */
bool gpd_module_climb(struct gpd *d, pid_t pid, struct gpd_module_way *way);

/* A module that was loaded anew hears what was said before; what was said is forgotten. */
void gpd_module_tell_all(struct gpd *d);
void gpd_module_forget_all(struct gpd *d);

/* gpd_module_cgroup.c: the module has come; it has gone. */
int gpd_module_cgroup_init(struct gpd *d);
void gpd_module_cgroup_come(struct gpd *d);
void gpd_module_cgroup_go(struct gpd *d);

/*
 * The device for this turn of the loop, not the caller's; -ENOENT there is no module any more,
 * or it is not to be used; -errno.
 */
int gpd_module_fd(struct gpd *d);

/* What was read of it in this turn of the loop is not true any more. */
void gpd_module_forget(struct gpd *d);

#endif
