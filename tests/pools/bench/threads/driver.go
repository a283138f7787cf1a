package threads

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/tests/pools/bench/devices"
)

// onDevice reports whether a subject needs a driver.
func (s *subject) onDevice() bool { return strings.HasPrefix(s.kind, "device") }

// ofDevice returns the subjects next to our pools of device memory: the driver's own allocators, and the pools of Python libraries. It prints those
// that are left out, and the version of the driver.
func ofDevice(w io.Writer) (all []subject, ok bool) {
	if err := cuda.Probe(); err != nil {
		fmt.Fprintf(w, "device memory is left out: %v\n", err)
		return nil, false
	}
	if cuda.LibraryPath() == "simulator" {
		fmt.Fprintln(w, "device memory is that of the simulated driver, whose times say nothing about a GPU")
		return drivers(), true
	}
	name, _ := cuda.Device(0).Name()
	version, _ := cuda.DriverVersion()
	fmt.Fprintf(w, "device memory is that of an %s, with the driver of CUDA %d.%d\n", name, version/1000, version%1000/10)
	return append(drivers(), pythons(w)...), true
}

// drivers are the allocators of the driver, called from Go. That costs about 100 ns more than from C, where a call takes some thousand ns.
func drivers() []subject {
	d := cuda.Device(0)
	return slices.Concat(
		driver("cuMemAlloc", "device", true, func() calls[cuda.DevicePtr] { return calls[cuda.DevicePtr]{d.Alloc, d.Free, nil} }),
		// What one stream takes, another would have to wait for.
		driver("cuMemAllocAsync", "device_async", false, asyncCalls),
		orderedByDriver(),
		driver("cuMemHostAlloc", "pinned", true, func() calls[[]byte] {
			return calls[[]byte]{func(bytes int64) ([]byte, error) { return d.AllocHost(bytes, 0) }, d.FreeHost, nil}
		}),
	)
}

// asyncCalls returns calls on a stream of the worker's own.
func asyncCalls() calls[cuda.DevicePtr] {
	s := must(cuda.Device(0).NewStream(cuda.NonBlocking))
	return calls[cuda.DevicePtr]{
		func(bytes int64) (cuda.DevicePtr, error) { return cuda.AllocAsync(bytes, s) },
		func(p cuda.DevicePtr) error { return cuda.FreeAsync(p, s) },
		func() {
			check(s.Synchronize())
			check(s.Close())
		},
	}
}

// driver lists what is measured of an allocator of the driver. needs is the one of pool files that stands on the same calls; without moves, only the worker
// that took a block may free it.
func driver[B any](name, needs string, moves bool, open func() calls[B]) []subject {
	if cuda.Device(0).Supports(needs) != nil {
		return nil
	}
	blocks := subject{name: name, kind: "device blocks", start: func(n int) session { return driverPairs(n, open) }}
	bytes := subject{name: name, kind: "device bytes", start: func(n int) session { return driverChurn(n, open) }}
	if moves {
		blocks.moved = func(n int) session { return driverMoved(n, open, func(*load[B]) int64 { return deviceBlock }) }
		bytes.moved = func(n int) session {
			return driverMoved(n, open, func(l *load[B]) int64 { return int64(l.next().Size) })
		}
	}
	return []subject{blocks, bytes}
}

// orderedByDriver lists what is measured of a pool with ordering driver, next to the calls that it makes, on the same memory pool. All workers share the pool.
func orderedByDriver() []subject {
	if cuda.Device(0).Supports("device_async") != nil {
		return nil
	}
	return []subject{
		{name: "ordering: driver", kind: "device blocks", start: func(n int) session { return onPool(n, driverPairs[devices.StreamDriverSpan]) }},
		{name: "ordering: driver", kind: "device bytes", start: func(n int) session { return onPool(n, driverChurn[devices.StreamDriverSpan]) }},
	}
}

// onPool starts a session on a new pool; each worker has a stream of its own.
func onPool(n int, start func(int, func() calls[devices.StreamDriverSpan]) session) session {
	p := new(devices.StreamDriverPool)
	one := start(n, func() calls[devices.StreamDriverSpan] {
		s := must(cuda.Device(0).NewStream(cuda.NonBlocking))
		return calls[devices.StreamDriverSpan]{
			func(bytes int64) (devices.StreamDriverSpan, error) { return p.AllocOn(int(bytes), s) },
			func(b devices.StreamDriverSpan) error { return p.FreeOn(b, s) },
			func() {
				check(s.Synchronize())
				check(s.Close())
			},
		}
	})
	end := one.end
	one.end = func() {
		end()
		check(p.Close())
	}
	return one
}
