package runtime

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Engine is the cold half of a pool: it obtains chunks within the limits, climbs the ladder when there is nothing to hand out, wakes
// those who wait, gives chunks back, and closes. Generated pools hold one by value; its zero value becomes ready with
// Init. Everything but the methods marked as part of the fast path takes the pool's lock by itself.
//
// In a pool without a lock (Config.Locked false) the lock is left alone, and the user orders the calls.
type Engine struct {
	mu      sync.Mutex
	waiting int              // len(queue), beside the lock: read on each free
	bases   []unsafe.Pointer // per slot; nil for memory that Go code cannot address

	config *Config
	core   Core
	name   string
	chunks chunkTable
	queue  []*waiter
	calm   sync.Cond // signalled when no growth and no release is under way

	starved atomic.Int32 // waiters, for a budget that has room again

	limit         int64 // in force: Config.Limit, or lower
	reserved      int64 // of the source, including what is being obtained or given back
	peakReserved  int64
	failures      int64
	softCrossings int64
	next          int64 // size of the next chunk, for Config.Double

	growing   bool  // one caller is at the source
	releasing int   // callers that are giving chunks back
	opened    bool  // the first use has happened
	closed    bool  // Close has succeeded
	badItem   error // why the item type cannot live in a pool
	final     Usage // what the core had counted when the pool was closed
	idle      []idleChunk
	events    []Event // to be sent once the lock is released
}

// Init makes the engine ready on first use and returns it. Cost: a lock and a comparison when it is ready already.
func (e *Engine) Init(config *Config, core Core) *Engine {
	if config.Locked {
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	if e.config == nil {
		e.config, e.core, e.name = config, core, config.Name
		e.limit, e.next = config.Limit, config.ChunkSize
		e.calm.L = &e.mu
	}
	return e
}

// Lock takes the pool's lock. Part of the fast path of locked pools.
func (e *Engine) Lock() { e.mu.Lock() }

// Unlock releases it.
func (e *Engine) Unlock() { e.mu.Unlock() }

// Base returns the start of a chunk in memory that Go code can address. Part of the fast path: the slot comes
// from the core, which knows no others than the table holds, so the index is not checked again.
func (e *Engine) Base(slot uint32) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(e.bases)), uintptr(slot)*unsafe.Sizeof(e.bases[0])))
}

// Address returns the start of a chunk as a number. Part of the fast path of pools that hand out numbers, unchecked as Base is.
func (e *Engine) Address(slot uint32) uint64 {
	list := e.chunks.list
	return (*entry)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(list)), uintptr(slot)*unsafe.Sizeof(list[0]))).Addr
}

// Waiting reports whether somebody waits for a block. Part of the fast path of frees, under the lock.
func (e *Engine) Waiting() bool { return e.waiting != 0 }

func (e *Engine) lock() {
	if e.config.Locked {
		e.mu.Lock()
	}
}

func (e *Engine) unlock() {
	if e.config.Locked {
		e.mu.Unlock()
	}
}

// finish ends an operation: it releases the lock and then sends the events that the operation caused.
func (e *Engine) finish() {
	events := e.events
	e.events = nil
	e.unlock()
	send(events)
}

// openLazily opens a pool that is used without Open. What it should start with is then best effort: an allocation that
// can be served is.
func (e *Engine) openLazily() {
	if !e.opened {
		e.open()
		if e.badItem == nil {
			_ = e.prime()
		}
	}
}

// settle waits for growth and release by other callers to end, and reports whether there is anything to wait for. Without a
// lock there are no others, only a source or hook that calls back into its own pool.
func (e *Engine) settle() bool {
	if !e.config.Locked || !e.growing && e.releasing == 0 {
		return false
	}
	e.calm.Wait()
	return true
}

// open runs once, under the lock, before the first chunk is obtained or an option would come too late.
func (e *Engine) open() {
	if e.opened {
		return
	}
	e.opened = true
	if e.config.Item != nil {
		e.badItem = checkItem(e.config.Item())
	}
	e.config.Budget.join(e)
}

// checkItem refuses types that hold pointers anywhere: the collector does not look into pool memory.
func checkItem(t reflect.Type) error {
	if path := pointerIn(t, t.String()); path != "" {
		return &kindOf{"item " + path + " is a pointer, or holds one", ErrBadItem}
	}
	return nil
}

// pointerIn returns the path of the first pointer inside a type, or "".
func pointerIn(t reflect.Type, path string) string {
	switch t.Kind() {
	case reflect.Array:
		if t.Len() == 0 {
			return ""
		}
		return pointerIn(t.Elem(), path+"[0]")
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if p := pointerIn(f.Type, path+"."+f.Name); p != "" {
				return p
			}
		}
		return ""
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return ""
	default:
		return path + " (" + t.Kind().String() + ")"
	}
}
