package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/spec"
)

// doctor says of each allocator that needs a driver whether it works on each device, and why not.
func TestDoctorPrints(t *testing.T) {
	h := health{Backend: "cgo", Library: "/lib/libcuda.so.1", Driver: "13.0", AddressSpace: 4 << 30, Processor: processorHealth{MHz: 2450.5, StoreBypass: "thread force mitigated"}, Devices: []deviceHealth{{
		Name: "Card", Memory: 8 << 30, Free: 1 << 30,
		Attributes: map[string]int{"memory_pools": 1},
		Allocators: map[string]string{"device": "", "device_pool": "not supported: device 0 has no memory pools"},
	}}, NCCL: ncclHealth{Version: "2.28.9", Library: "/lib/libnccl.so.2"}}
	var b bytes.Buffer
	h.print(&b)
	for _, want := range []string{
		"clock: 2450 MHz\nspeculative store bypass: off (thread force mitigated)\n", "driver: CUDA 13.0, /lib/libcuda.so.1, backend cgo\n", "addresses of a process: at most 4GiB (ulimit -v); ", "at most 16GiB here\n",
		"device 0: Card, 8GiB of memory, 1GiB free\n", "  memory_pools               1\n",
		"  allocator device           works\n", "  allocator device_pool      does not work: not supported: device 0 has no memory pools\n",
		"\nNCCL: 2.28.9, /lib/libnccl.so.2\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// What the kernel calls vulnerable is on. What it does not tell is not printed.
func TestDoctorPrintsTheProcessor(t *testing.T) {
	for h, want := range map[processorHealth]string{{}: "", {StoreBypass: "thread vulnerable"}: "speculative store bypass: on (thread vulnerable)\n"} {
		var b bytes.Buffer
		if h.print(&b); b.String() != want {
			t.Errorf("%+v: %q, want %q", h, b.String(), want)
		}
	}
}

// The report on this machine is complete, whatever the machine has.
func TestDoctorExamines(t *testing.T) {
	h := examine()
	if h.Backend != cuda.Backend() {
		t.Errorf("the backend is %q, not %q", h.Backend, cuda.Backend())
	}
	if h.Problem == "" && (h.Library == "" || h.Driver == "" || len(h.Devices) == 0) {
		t.Errorf("a driver without %+v", h)
	}
	if (h.NCCL.Problem == "") == (h.NCCL.Version == "" || h.NCCL.Library == "") {
		t.Errorf("of NCCL it says %+v", h.NCCL)
	}
	for _, d := range h.Devices {
		for _, a := range spec.Allocators() {
			if _, ok := d.Allocators[string(a)]; ok != a.NeedsDriver() {
				t.Errorf("device %d: allocator %s judged: %v", d.Device, a, ok)
			}
		}
	}
}
