//go:build cudasim

package guarantee

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// latency is how many steps the work of a stream takes.
const latency = 12

// model follows what is in use in the pools of a group.
type model struct {
	*testing.T
	*rand.Rand
	seed    uint64
	step    int
	share   int   // of requests, of 1000 steps
	budget  int64 // 0: none
	device  int64 // memory of the device
	pools   []*member
	streams []cuda.Stream
	marks   []*mark // that the streams have not passed
	probe   cuda.Event
	idle    []bool // the streams that had no work before the call

	requests, refusals int
}

// pool has the methods that all pools have.
type pool interface {
	Stats() poolrt.Stats
	Poll() int
	Trim(keep int64) (int64, error)
	SetLimit(bytes int64) error
	Snapshot() *poolrt.Snapshot
	CloseForce() error
}

// member is a pool of the group.
type member struct {
	kind
	pool
	method map[string]reflect.Value // methods that differ from pool to pool, by name
	limit  int64
	lost   int64 // bytes of live blocks beyond what was requested
	live   []block
	flight []freed
}

// block is a live block.
type block struct {
	extent
	own any
}

// extent is a range of addresses.
type extent struct{ addr, bytes int64 }

// freed is a block that was freed on a stream.
type freed struct {
	extent
	stream int
	mark   *mark // on the stream behind the free; nil: the pool may not have asked about the stream since
}

// mark is an event on a stream.
type mark struct {
	cuda.Event
	passed bool
}

func newModel(t *testing.T, budget, device int64, kinds []kind) *model {
	rig.Machine(t, sim.Config{Devices: 1, Capacity: uint64(cmp.Or(device, 256*mib))})
	sim.Latency(latency)
	m := &model{T: t, seed: uint64(crc32.ChecksumIEEE([]byte(kinds[0].name))), budget: budget, device: device}
	memory.limit = kinds[0].limit
	m.Rand = rand.New(rand.NewPCG(m.seed, 0))
	for _, k := range kinds {
		m.pools = append(m.pools, newMember(k))
	}
	for range 3 {
		m.streams = append(m.streams, rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)))
	}
	m.probe, m.idle = rig.Must(cuda.Device(0).NewEvent()), make([]bool, len(m.streams))
	return m
}

func newMember(k kind) *member {
	p := &member{kind: k, pool: k.new(), limit: k.limit, method: map[string]reflect.Value{}}
	for _, name := range []string{"Alloc", "AllocAligned", "AllocOn", "Free", "FreeOn", "Reset"} {
		if call := reflect.ValueOf(p.pool).MethodByName(name); call.IsValid() {
			p.method[name] = call
		}
	}
	return p
}

// has reports whether the pool has a method.
func (p *member) has(name string) bool { return p.method[name].IsValid() }

// take allocates a block. A pool of items has no parameter n.
func (p *member) take(name string, n int, more ...any) (b any, err error) {
	call := p.method[name]
	var in []reflect.Value
	if call.Type().NumIn() > len(more) {
		in = append(in, reflect.ValueOf(n))
	}
	for _, a := range more {
		in = append(in, reflect.ValueOf(a))
	}
	out := call.Call(in)
	err, _ = out[1].Interface().(error)
	return out[0].Interface(), err
}

// give frees a block.
func (p *member) give(name string, args ...any) error {
	var in []reflect.Value
	for _, a := range args {
		in = append(in, reflect.ValueOf(a))
	}
	err, _ := p.method[name].Call(in)[0].Interface().(error)
	return err
}

// fail ends the test. The seed and the step lead to the failure again.
func (m *model) fail(format string, args ...any) {
	m.Helper()
	m.Fatalf("seed %d, step %d: %s", m.seed, m.step, fmt.Sprintf(format, args...))
}

// close closes the pools.
func (m *model) close() {
	for _, p := range m.pools {
		rig.Check(m, "close", p.CloseForce())
	}
	rig.Check(m, "close", m.probe.Close())
	for _, k := range m.marks {
		rig.Check(m, "close", k.Close())
	}
	for _, s := range m.streams {
		rig.Check(m, "close", s.Close())
	}
}
