// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A PCI root bus of our own with one function per simulated GPU: config space and
 * nothing behind it. The functions carry AMD's ids, so that what reads sysfs
 * finds what it expects.
 */
#include "kfdsim.h"

#include <linux/pci.h>

#define FIRST_BUS 0x80
#define MAX_BUSES 0x40
#define CONFIG_BYTES 256
#define MAX_GPUS 8
#define CLASS_ACCELERATOR 0x1200

static struct {
	struct pci_bus *bus;
	struct resource buses;
	const struct gpu_profile *profile;
	unsigned int nr;
	u16 command[MAX_GPUS];
} pci = { .buses = { .name = "kfdsim", .flags = IORESOURCE_BUS } };

/* The marketing names are in libdrm's amdgpu.ids. */
static const struct {
	const char *profile;
	u16 device;
} ids[] = {
	{ "tiny", 0x7408 },	/* MI250X, the first part with gfx 9.4.2 */
	{ "mi210", 0x740f },
	{ "mi300x", 0x74a1 },
	{ "mi308x", 0x74a2 },
};

static u16 device_id(const struct gpu_profile *profile)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++)
		if (!strcmp(ids[i].profile, profile->name))
			return ids[i].device;
	return ids[0].device;
}

static u32 config_word(unsigned int gpu, int where)
{
	switch (where) {
	case PCI_VENDOR_ID:
		return device_id(pci.profile) << 16 | PCI_VENDOR_ID_ATI;
	case PCI_COMMAND:
		return pci.command[gpu];
	case PCI_CLASS_REVISION:
		return CLASS_ACCELERATOR << 16;
	case PCI_SUBSYSTEM_VENDOR_ID:
		return 0x0c34u << 16 | PCI_VENDOR_ID_ATI;
	default:
		return 0;
	}
}

static bool is_ours(struct pci_bus *bus, unsigned int devfn)
{
	return bus->number == pci.buses.start && PCI_SLOT(devfn) < pci.nr && !PCI_FUNC(devfn);
}

static int config_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *val)
{
	if (!is_ours(bus, devfn)) {
		PCI_SET_ERROR_RESPONSE(val);
		return PCIBIOS_DEVICE_NOT_FOUND;
	}
	*val = config_word(PCI_SLOT(devfn), where & ~3) >> 8 * (where & 3);
	if (size < 4)
		*val &= (1u << 8 * size) - 1;
	return PCIBIOS_SUCCESSFUL;
}

static int config_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 val)
{
	if (!is_ours(bus, devfn))
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (where == PCI_COMMAND)
		pci.command[PCI_SLOT(devfn)] = val;
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops config_ops = { .read = config_read, .write = config_write };

static int probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	/* Only our own bus: the machine may have a real one of these. */
	if (pdev->bus != pci.bus && pdev->bus->ops != &config_ops)
		return -ENODEV;
	return kfdsim_device_probe(pdev, pci.profile, PCI_SLOT(pdev->devfn));
}

static const struct pci_device_id id_table[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_ATI, PCI_ANY_ID), .class = CLASS_ACCELERATOR << 8,
	  .class_mask = 0xffff00 },
	{}
};

static struct pci_driver driver = {
	.name = "kfdsim",
	.id_table = id_table,
	.probe = probe,
	.remove = kfdsim_device_remove,
	/* amdkfd cannot let go of a device that processes have open. */
	.driver.suppress_bind_attrs = true,
};

#ifdef CONFIG_X86
static struct pci_sysdata sysdata = { .domain = 0, .node = NUMA_NO_NODE };
#define BUS_SYSDATA (&sysdata)
#else
#define BUS_SYSDATA NULL
#endif

static int find_free_bus(void)
{
	int i;

	for (i = FIRST_BUS; i < FIRST_BUS + MAX_BUSES; i++)
		if (!pci_find_bus(0, i))
			return i;
	return -ENOSPC;
}

static int scan(void)
{
	LIST_HEAD(resources);

	pci_add_resource(&resources, &pci.buses);
	pci_lock_rescan_remove();
	pci.bus = pci_scan_root_bus(NULL, pci.buses.start, &config_ops, BUS_SYSDATA, &resources);
	if (pci.bus)
		pci_bus_add_devices(pci.bus);
	pci_unlock_rescan_remove();
	if (!pci.bus)
		pci_free_resource_list(&resources);
	return pci.bus ? 0 : -ENODEV;
}

/* Plug the GPUs in. 0 or what PCI says; a GPU that did not start is in the log. */
int kfdsim_pci_add(const struct gpu_profile *profile, unsigned int nr)
{
	int bus = find_free_bus();
	int r;

	if (bus < 0 || nr > MAX_GPUS)
		return bus < 0 ? bus : -EINVAL;
	pci.buses.start = bus;
	pci.buses.end = bus;
	pci.profile = profile;
	pci.nr = nr;
	r = pci_register_driver(&driver);
	if (r)
		return r;
	r = scan();
	if (r)
		pci_unregister_driver(&driver);
	return r;
}

void kfdsim_pci_remove(void)
{
	struct pci_host_bridge *bridge = to_pci_host_bridge(pci.bus->bridge);

	pci_lock_rescan_remove();
	pci_stop_root_bus(pci.bus);
	pci_remove_root_bus(pci.bus);
	/* It was made with the bus, and is not given back with it. */
	pci_free_host_bridge(bridge);
	pci_unlock_rescan_remove();
	pci_unregister_driver(&driver);
}
