/* SPDX-License-Identifier: MIT */
/*
 * As much of XSched's interface as the glue uses, declared anew for its test: names and
 * signatures, and nothing that does something. The call order is that of its suspend and resume.
 */
#ifndef TESTS_XSCHED_HIP_QUEUE_H
#define TESTS_XSCHED_HIP_QUEUE_H

#include <cstdint>
#include <functional>
#include <list>
#include <memory>

typedef uint64_t HwQueueHandle;
typedef struct ihipStream_t *hipStream_t;

enum XResult {
	kXSchedSuccess = 0,
	kXSchedErrorInvalidValue = 2,
	kXSchedErrorNotSupported = 5,
};

enum XPreemptLevel {
	kPreemptLevelUnknown = 0,
	kPreemptLevelBlock = 1,
	kPreemptLevelDeactivate = 2,
	kPreemptLevelInterrupt = 3,
};

namespace xsched::preempt
{

class HwCommand;
using CommandLog = std::list<std::shared_ptr<HwCommand>>;

class HwQueue
{
public:
	virtual ~HwQueue() = default;
	virtual void Synchronize() = 0;
	virtual void Deactivate() {}
	virtual void Reactivate(const CommandLog &) {}
	virtual void Interrupt() {}
	virtual void Restore(const CommandLog &) {}
	virtual HwQueueHandle GetHandle() = 0;
	virtual bool SupportDynamicLevel() = 0;
	virtual XPreemptLevel GetMaxSupportedLevel() = 0;
	virtual void OnPreemptLevelChange(XPreemptLevel) {}
};

class HwQueueManager
{
public:
	static XResult Add(HwQueueHandle handle, std::function<std::shared_ptr<HwQueue>()> create);
};

} // namespace xsched::preempt

namespace xsched::hip
{

inline HwQueueHandle GetHwQueueHandle(hipStream_t stream)
{
	return reinterpret_cast<HwQueueHandle>(stream);
}

class HipQueue : public preempt::HwQueue
{
public:
	HipQueue(hipStream_t stream) : kStream(stream) {}
	void Synchronize() override;
	HwQueueHandle GetHandle() override { return GetHwQueueHandle(kStream); }
	bool SupportDynamicLevel() override { return false; }
	XPreemptLevel GetMaxSupportedLevel() override { return kPreemptLevelBlock; }

protected:
	const hipStream_t kStream;
	XPreemptLevel level_ = kPreemptLevelUnknown;
};

} // namespace xsched::hip

#endif
