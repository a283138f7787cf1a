package poolrt

import (
	"errors"
	"runtime/debug"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Fault finds out whether a panic is a fault at a guarded block, which the key guard of a pool file makes: a use after its free, or beyond one of its ends. It
// returns a [PoolError] that matches [ErrFault], with the address and the calls that allocated and freed the block; nil for any other panic. recovered is what
// recover has returned.
//
// A fault ends the program, unless the goroutine has called debug.SetPanicOnFault or [CatchFaults]. Safe for concurrent use.
func Fault(recovered any) error {
	var fault interface {
		error
		Addr() uintptr
	}
	if err, ok := recovered.(error); !ok || !errors.As(err, &fault) {
		return nil
	}
	for _, p := range registry.All[interface{ Fault(addr uint64) *PoolError }]() {
		if found := p.Fault(uint64(fault.Addr())); found != nil {
			return found
		}
	}
	return nil
}

// CatchFaults has faults of the calling goroutine at guarded blocks reported, until the function that it returns is called. It stands at the start of a goroutine:
//
//	defer poolrt.CatchFaults()()
//
// Faults of the goroutine are panics from then on: see debug.SetPanicOnFault. If a function of the goroutine does not recover from one, and [Fault] knows it,
// the functions of [OnEvent] get an [EventCorrupt], and the panic goes on with the error of Fault in place of its value. So what the program prints when it ends has
// the calls that allocated and freed the block. Other panics go on as they are.
func CatchFaults() (stop func()) {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		recovered := recover()
		if recovered == nil {
			return
		}
		if err, ok := Fault(recovered).(*PoolError); ok {
			registry.Send([]Event{{Pool: err.Pool, Kind: EventCorrupt, Err: err}})
			panic(err)
		}
		panic(recovered)
	}
}
