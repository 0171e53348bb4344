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

/* The queues of this process at level 3. */
class Process
{
public:
	void Change(int queues, int out)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		nr_queues_ += queues;
		nr_out_ += out;
		bool stop = nr_queues_ && nr_out_ == nr_queues_;

		/* Not held: what was launched goes on until it ends, as at level 1. */
		if (stop && !held_)
			held_ = gpreempt_self_hold(0) > 0;
		else if (!stop && held_)
			held_ = gpreempt_self_release() < 0;
	}

private:
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
		Set(false, false);
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
		Set(level >= kPreemptLevelInterrupt, false);
	}

	void Interrupt() override
	{
		interrupter_ = std::this_thread::get_id();
		Set(is_level_3_, is_level_3_);
	}

	/* Waves are saved and restored by the GPU: nothing is launched anew. */
	void Restore(const xsched::preempt::CommandLog &) override
	{
		Set(is_level_3_, false);
	}

	/*
	 * "Interrupt, then wait until the hardware is done with it": it is. Waiting for the
	 * work itself would never end, as the same thread has to restore it.
	 */
	void Synchronize() override
	{
		if (!is_out_ || interrupter_ != std::this_thread::get_id())
			HipQueue::Synchronize();
	}

private:
	void Set(bool is_level_3, bool is_out)
	{
		process.Change(is_level_3 - is_level_3_, is_out - is_out_);
		is_level_3_ = is_level_3;
		is_out_ = is_out;
	}

	bool is_level_3_ = false;
	bool is_out_ = false; /* interrupted */
	std::thread::id interrupter_;
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
