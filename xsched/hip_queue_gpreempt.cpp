// SPDX-License-Identifier: MIT
/*
 * Level 3 for the HIP platform of XSched, which has level 1 by itself. Preloaded into a program
 * that runs under XSched, this takes the place of HipQueueCreate(): the queues made here
 * can be interrupted. See docs/guide/xsched.md.
 *
 * What is stopped is the process, for several streams share one queue of the GPU. It is
 * stopped when all its streams at level 3 are interrupted, so that no stream is stopped
 * that XSched lets run, and goes on with the first that is restored.
 */
#include "gpreempt/gpreempt.h"
#include "xsched/hip/hal/hip_queue.h"

#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <thread>

namespace
{

/* What is known of a queue; another thread than XSched's may make, resume or end it. */
struct State {
	bool is_level_3 = false;
	bool is_out = false; /* interrupted */
	std::thread::id interrupter;
};

/* The queues of this process at level 3, and one lock for the states of all. */
class Process
{
public:
	/* @change is given the state, to be changed. */
	template <typename Change> void Set(State &state, Change change)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		nr_queues_ -= state.is_level_3;
		nr_out_ -= state.is_out;
		change(state);
		nr_queues_ += state.is_level_3;
		nr_out_ += state.is_out;
		Follow();
	}

	State Get(const State &state)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		return state;
	}

private:
	void Follow()
	{
		bool stop = nr_queues_ && nr_out_ == nr_queues_;

		/* Not held: what was launched goes on until it ends, as at level 1. */
		if (stop && !held_)
			held_ = gpreempt_self_hold(0) > 0;
		else if (!stop && held_)
			held_ = gpreempt_self_release() < 0;
	}

	std::mutex mutex_;
	int nr_queues_ = 0;
	int nr_out_ = 0; /* of these, interrupted */
	bool held_ = false;
};

Process process;

class Queue : public xsched::hip::HipQueue
{
public:
	using HipQueue::HipQueue;

	~Queue() override
	{
		process.Set(state_, [](State &s) { s = State(); });
	}

	bool SupportDynamicLevel() override
	{
		return true;
	}

	XPreemptLevel GetMaxSupportedLevel() override
	{
		return kPreemptLevelInterrupt;
	}

	void OnPreemptLevelChange(XPreemptLevel level) override
	{
		level_ = level;
		process.Set(state_, [level](State &s) {
			s.is_level_3 = level >= kPreemptLevelInterrupt;
			s.is_out = false;
		});
	}

	void Interrupt() override
	{
		process.Set(state_, [](State &s) {
			s.is_out = s.is_level_3;
			s.interrupter = std::this_thread::get_id();
		});
	}

	/* Waves are saved and restored by the GPU: nothing is launched anew. */
	void Restore(const xsched::preempt::CommandLog &) override
	{
		process.Set(state_, [](State &s) { s.is_out = false; });
	}

	/*
	 * "Interrupt, then wait until the hardware is done with it." The thread that
	 * interrupted does not wait: where the process is held, that would never end, as the
	 * same thread has to restore the queue. Where it is not held, as other streams run or
	 * no hold was to be had, what was launched may still run when this returns.
	 */
	void Synchronize() override
	{
		State s = process.Get(state_);

		if (!s.is_out || s.interrupter != std::this_thread::get_id())
			HipQueue::Synchronize();
	}

private:
	State state_;
};

/*
 * XSched opens HIP with RTLD_DEEPBIND, and HIP's ioctl() is then that of libc, not that of a
 * preloaded libgpreempt-shim.so. A library that is open already is not bound again.
 */
__attribute__((constructor)) void OpenHipPlainly()
{
	const char *name = std::getenv("XSCHED_HIP_LIB");

	dlopen(name ? name : "/opt/rocm/lib/libamdhip64.so", RTLD_NOW | RTLD_LOCAL);
}

} // namespace

extern "C" __attribute__((visibility("default"))) XResult HipQueueCreate(HwQueueHandle *hwq,
									  hipStream_t stream)
{
	if (!hwq)
		return kXSchedErrorInvalidValue;
	if (!stream)
		return kXSchedErrorNotSupported;
	HwQueueHandle handle = xsched::hip::GetHwQueueHandle(stream);
	XResult result = xsched::preempt::HwQueueManager::Add(
		handle, [&] { return std::make_shared<Queue>(stream); });

	if (result == kXSchedSuccess)
		*hwq = handle;
	return result;
}
