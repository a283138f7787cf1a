package simulator

import (
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Driver is the simulator. Its methods are the functions of [abi.Driver] and the controls of tests; all are safe for concurrent use,
// one at a time.
type Driver struct {
	mu  sync.Mutex
	met sync.Cond // broadcast when something was queued, or called off, that other goroutines may wait for

	// State that outlives Reset: numbers that must not be reused, and objects that package cuda keeps for the life of the process.
	serial   uint64
	machine  uint64 // number of machines so far
	loaded   bool
	retained map[int]int         // how often the context of a device is, also while there is no such device
	flags    map[int]uint32      // of the primary context of a device
	current  map[int]abi.Context // by thread

	state
}

// state is the state that Reset replaces, by subject.
type state struct {
	cfg Config
	calls
	schedule
	latency
	objects
	addresses
	devices  []*device
	contexts []*context               // primary ones by device; nil is not retained
	others   map[abi.Context]*context // of CtxCreate
	streams  map[abi.Stream]*stream
	events   map[abi.Event]*event
	captured map[uint64]*capture // those under way, by number
	graphs   map[abi.Graph]*graph
	execs    map[abi.GraphExec]*graphExec
	pooling
	virtual
	sparse
	kernels
	clocks
	owned
	communicators
}

var _ abi.Driver = (*Driver)(nil)

// New returns a simulator of its own.
func New(cfg Config) *Driver {
	d := &Driver{serial: 0x100, retained: map[int]int{}, flags: map[int]uint32{}, current: map[int]abi.Context{}}
	d.met.L = &d.mu
	d.Reset(cfg)
	return d
}

// Reset starts over with another machine: everything that was live is gone, counts are 0, no fault is pending and no kernel is
// registered. The library stays loaded, and contexts that are retained stay so, with the same handle: that of a device which is not there
// now comes back with it.
func (d *Driver) Reset(cfg Config) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.releaseHost()
	d.machine++
	next := d.next
	cfg = cfg.withDefaults()
	d.state = state{
		cfg:       cfg,
		calls:     newCalls(cfg),
		schedule:  newSchedule(cfg.Schedule),
		objects:   newObjects(),
		addresses: addresses{next: next},
		others:    map[abi.Context]*context{},
		streams:   map[abi.Stream]*stream{},
		events:    map[abi.Event]*event{},
		captured:  map[uint64]*capture{},
		graphs:    map[abi.Graph]*graph{},
		execs:     map[abi.GraphExec]*graphExec{},
		pooling:   newPooling(),
		virtual:   newVirtual(),
		sparse:    newSparse(),
		kernels:   newKernels(),
		clocks:    newClocks(),
		owned:     owned{userObjects: map[abi.UserObject]*userObject{}},

		communicators: newCommunicators(),
	}
	d.met.Broadcast()
	d.checker.On = cfg.Hazards
	d.resetDevices()
}

// Machine returns the number of the machine, which is unique: Reset makes another machine.
func (d *Driver) Machine() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.machine
}

// begin is the start of each function: it takes the lock, which the caller releases, counts the call, and decides whether it fails
// before it has an effect. If not, the schedule runs some operations.
func (d *Driver) begin(function string) abi.Result {
	d.mu.Lock()
	if r := d.count(function); r != abi.Success {
		return r
	}
	if s := d.load(); s.Result != abi.Success {
		return s.Result
	}
	d.advance()
	return abi.Success
}

// beginIn is begin for a function that needs a context.
func (d *Driver) beginIn(function string, ctx abi.Context) (*context, abi.Result) {
	if r := d.begin(function); r != abi.Success {
		return nil, r
	}
	c := d.context(ctx)
	if c == nil {
		return nil, abi.InvalidContext
	}
	return c, c.fault
}

// number returns a number that was not given out before.
func (d *Driver) number() uint64 {
	d.serial++
	return d.serial
}
