package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/nccl"
	"github.com/poolgen/poolgen/spec"
)

const doctorLong = `Look at the CUDA driver of this machine: which library was found, the devices and what they can do,
and for each allocator of pool files whether it works on each device, and if not, why.

It also says how this poolgen calls the driver, its backend: cgo, purego (without cgo, with the tag
poolgen_purego), or none, and which NCCL package nccl finds. A machine without a driver is not an
error: pools of allocator host, custom and none do without.

On Linux it prints what makes times of two runs differ: the clock of the processor, and whether
speculative store bypass is off, so that each load waits for the stores before it.`

// health is the report of doctor.
type health struct {
	Backend string `json:"backend"` // how this command calls the driver
	Library string `json:"library,omitempty"`
	Driver  string `json:"driver,omitempty"` // highest version of CUDA that it serves
	Problem string `json:"problem,omitempty"`
	Note    string `json:"note,omitempty"` // on what programs are built for

	NCCL ncclHealth `json:"nccl"`

	AddressSpace int64 `json:"address_space,omitempty"` // bytes of addresses that a process may have; 0: no limit

	Processor processorHealth `json:"processor"`

	Devices []deviceHealth `json:"devices"`
}

// processorHealth is what makes times of two runs differ. A field is empty where the system does not tell.
type processorHealth struct {
	MHz         float64 `json:"mhz,omitempty"`          // of the fastest processor now
	StoreBypass string  `json:"store_bypass,omitempty"` // speculative store bypass of this process, in the words of Linux
}

// print writes a line.
func (h processorHealth) print(w io.Writer) {
	if h.MHz > 0 {
		fmt.Fprintf(w, "clock: %.0f MHz\n", h.MHz)
	}
	if h.StoreBypass == "" {
		return
	}
	state := "on"
	if strings.Contains(h.StoreBypass, "mitigated") {
		state = "off"
	}
	fmt.Fprintf(w, "speculative store bypass: %s (%s)\n", state, h.StoreBypass)
}

// ncclHealth is the library that package nccl calls.
type ncclHealth struct {
	Version string `json:"version,omitempty"`
	Library string `json:"library,omitempty"`
	Problem string `json:"problem,omitempty"`
}

type deviceHealth struct {
	Device     int               `json:"device"`
	Name       string            `json:"name"`
	Memory     int64             `json:"memory"` // bytes
	Free       int64             `json:"free"`
	Attributes map[string]int    `json:"attributes"`
	Allocators map[string]string `json:"allocators"` // why it does not work; "" if it does
}

func (p *Process) doctorCommand() *cobra.Command {
	var format *format
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Show what works on this machine",
		Long:    doctorLong,
		Example: "  poolgen doctor",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			h := examine()
			if h.Library != simulator && p.gocmd().HasTag("cudasim") {
				h.Note = "GOFLAGS has the tag cudasim: programs that are built so use the simulated driver; doctor looks at the real one"
			}
			if format.value == jsonFormat {
				return json.NewEncoder(p.Stdout).Encode(h)
			}
			h.print(p.Stdout)
			return nil
		},
	}
	format = formatFlag(cmd, "the output", textFormat, jsonFormat)
	return cmd
}

// told lists the attributes that are printed.
var told = []struct {
	name      string
	attribute cuda.Attribute
}{
	{"compute_capability_major", cuda.ComputeCapabilityMajor},
	{"compute_capability_minor", cuda.ComputeCapabilityMinor},
	{"multiprocessors", cuda.Multiprocessors},
	{"integrated", cuda.Integrated},
	{"unified_addressing", cuda.UnifiedAddressing},
	{"managed_memory", cuda.ManagedMemorySupported},
	{"concurrent_managed_access", cuda.ConcurrentManagedAccess},
	{"virtual_memory", cuda.VirtualMemorySupported},
	{"memory_pools", cuda.MemPoolsSupported},
	{"memory_pool_handle_types", cuda.MemPoolHandleTypes},
	{"host_memory_pools", cuda.HostMemPoolsSupported},
	{"host_numa_memory_pools", cuda.HostNUMAMemPoolsSupported},
	{"sparse_arrays", cuda.SparseArraysSupported},
	{"file_descriptors", cuda.FileDescriptorsSupported},
	{"fabric_handles", cuda.FabricHandlesSupported},
}

// examine queries the driver.
func examine() health {
	h := health{Backend: cuda.Backend(), Library: cuda.LibraryPath(), Devices: []deviceHealth{}, AddressSpace: addressSpace(), NCCL: examineNCCL(), Processor: processor()}
	devices, err := cuda.Devices()
	if err != nil {
		h.Problem = err.Error()
		return h
	}
	if v, err := cuda.DriverVersion(); err == nil {
		h.Driver = fmt.Sprintf("%d.%d", v/1000, v%1000/10)
	}
	for _, d := range devices {
		h.Devices = append(h.Devices, examineDevice(d))
	}
	return h
}

// examineNCCL looks for NCCL, which does not need a driver to be found.
func examineNCCL() ncclHealth {
	v, err := nccl.Version()
	if err != nil {
		return ncclHealth{Problem: err.Error()}
	}
	return ncclHealth{Version: v, Library: nccl.LibraryPath()}
}

// print writes a line.
func (h ncclHealth) print(w io.Writer) {
	if h.Problem != "" {
		fmt.Fprintf(w, "NCCL: none\n  %s\n", h.Problem)
		return
	}
	fmt.Fprintf(w, "NCCL: %s, %s\n", h.Version, h.Library)
}

// examineDevice queries one device. It leaves out what the driver does not answer.
func examineDevice(d cuda.Device) deviceHealth {
	h := deviceHealth{Device: int(d), Attributes: map[string]int{}, Allocators: map[string]string{}}
	h.Name, _ = d.Name()
	h.Free, h.Memory, _ = d.MemInfo()
	for _, a := range told {
		if v, err := d.Attribute(a.attribute); err == nil {
			h.Attributes[a.name] = v
		}
	}
	for _, a := range spec.Allocators() {
		if !a.NeedsDriver() {
			continue
		}
		h.Allocators[string(a)] = ""
		if err := d.Supports(string(a)); err != nil {
			h.Allocators[string(a)] = err.Error()
		}
	}
	return h
}

// largest returns the memory of the largest device.
func (h health) largest() (bytes int64) {
	for _, d := range h.Devices {
		bytes = max(bytes, d.Memory)
	}
	return bytes
}

// print writes the findings for people.
func (h health) print(w io.Writer) {
	if h.Note != "" {
		fmt.Fprintln(w, h.Note)
	}
	defer h.Processor.print(w) // last: few readers need these
	defer h.NCCL.print(w)
	if h.Problem != "" {
		fmt.Fprintf(w, "driver: none, backend %s\n  %s\nallocators host, custom and none work here; the others need a driver\n", h.Backend, h.Problem)
		return
	}
	fmt.Fprintf(w, "driver: CUDA %s, %s, backend %s\n", h.Driver, h.Library, h.Backend)
	if h.AddressSpace > 0 {
		fmt.Fprintf(w, "addresses of a process: at most %s (ulimit -v); a pool of device_virtual reserves twice what it may hold, at most %s here\n",
			spec.FormatSize(h.AddressSpace), spec.FormatSize(2*h.largest()))
	}
	for _, d := range h.Devices {
		fmt.Fprintf(w, "device %d: %s, %s of memory, %s free\n", d.Device, d.Name, spec.FormatSize(d.Memory), spec.FormatSize(d.Free))
		for _, a := range told {
			if v, ok := d.Attributes[a.name]; ok {
				fmt.Fprintf(w, "  %-26s %d\n", a.name, v)
			}
		}
		for _, a := range spec.Allocators() {
			why, ok := d.Allocators[string(a)]
			switch {
			case !ok:
			case why == "":
				fmt.Fprintf(w, "  allocator %-16s works\n", a)
			default:
				fmt.Fprintf(w, "  allocator %-16s does not work: %s\n", a, why)
			}
		}
	}
}
