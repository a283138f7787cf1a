package simulator

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// session calls functions of the driver. Bytes choose the functions and their arguments: results of earlier calls, and others.
type session struct {
	*rig
	ops    []byte
	known  map[reflect.Type][]reflect.Value // what calls have returned, by type
	events int                              // made and not destroyed
	arrays int
	pools  int
	ranges int
	stream int
}

// hostBytes is the size of the program's memory for copies. The memory outlives a session, because nothing waits for the work that is queued at the
// end.
var hostBytes [1 << 16]byte

// uncalled are functions that take files of the process, or end what all other calls need.
var uncalled = []string{"Load", "MemPoolExportFD", "MemPoolImportFD", "MemExportFD", "MemImportFD", "DevicePrimaryCtxRelease", "ModuleLoadData"}

// callable are the others.
var callable = func() (list []reflect.Method) {
	table := reflect.TypeFor[abi.Driver]()
	for i := range table.NumMethod() {
		if m := table.Method(i); !slices.Contains(uncalled, m.Name) {
			list = append(list, m)
		}
	}
	return list
}()

// next takes a byte; 0 when there are none.
func (s *session) next() byte {
	if len(s.ops) == 0 {
		return 0
	}
	b := s.ops[0]
	s.ops = s.ops[1:]
	return b
}

// sizes are interesting sizes: of texels, tiles, pages and devices, and too large ones. No allocation that succeeds is so large
// that filling it takes long.
var sizes = []uint64{0, 1, 2, 3, 64, 255, 4096, 1 << 16, 1 << 20, 2 << 20, 4 << 20, 64 << 20, 1<<32 + 1, 1 << 47, math.MaxInt64, math.MaxUint64}

// argument makes a value of a type. Host memory that a function reads or writes is the session's own, because the driver does not check other memory.
func (s *session) argument(t reflect.Type, method string) reflect.Value {
	b := s.next()
	if known := s.known[t]; b < 224 && len(known) > 0 && t != reflect.TypeFor[unsafe.Pointer]() {
		return known[int(b)%len(known)]
	}
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.UnsafePointer:
		known := s.known[t]
		if (method == "MemFreeHost" || method == "MemHostGetDevicePointer") && len(known) > 0 && b < 224 {
			return known[int(b)%len(known)]
		}
		if b > 8 {
			v.SetPointer(unsafe.Pointer(&hostBytes[0]))
		}
	case reflect.Bool:
		v.SetBool(b&1 != 0)
	case reflect.Int, reflect.Int32:
		v.SetInt(int64(int8(b)) % 13)
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(uint64(b) % 67)
	case reflect.Uint64, reflect.Uintptr:
		v.SetUint(sizes[int(b)%len(sizes)])
	case reflect.String:
		v.SetString([]string{"", "cuMemAlloc", "\x00", "kernel"}[b%4])
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(s.argument(t.Field(i).Type, method))
		}
	case reflect.Array:
		for i := range min(t.Len(), 3) {
			v.Index(i).Set(s.argument(t.Elem(), method))
		}
	case reflect.Slice:
		for range b % 3 {
			v = reflect.Append(v, s.argument(t.Elem(), method))
		}
	}
	return v
}

// hostAllocators are functions whose memory is of this machine, and may be filled.
var hostAllocators = []string{"MemHostAlloc", "MemAllocManaged", "MemAllocFromPoolAsync"}

// hostLimits keep copies within the program's memory, and allocations of host memory small.
func (s *session) hostLimits(m reflect.Method, in []reflect.Value) {
	if slices.Contains(hostAllocators, m.Name) {
		if n := in[1].Uint(); n < 1<<47 {
			in[1] = reflect.ValueOf(min(n, 64<<20))
		}
		return
	}
	touches := false
	for _, v := range in {
		touches = touches || v.Kind() == reflect.UnsafePointer
	}
	if !touches || m.Name == "MemFreeHost" || m.Name == "MemHostGetDevicePointer" {
		return
	}
	for i, v := range in {
		if v.Type() == reflect.TypeFor[uint64]() {
			in[i] = reflect.ValueOf(v.Uint() % 200) // as rows, pitch and bytes: 200 times 200 fit
		}
	}
}

// call calls one function.
func (s *session) call() {
	m := callable[int(s.next())%len(callable)]
	f := reflect.ValueOf(abi.Driver(s.Driver)).MethodByName(m.Name)
	in := make([]reflect.Value, f.Type().NumIn())
	for i := range in {
		in[i] = s.argument(f.Type().In(i), m.Name)
	}
	s.hostLimits(m, in)
	out := f.Call(in)
	result, ok := out[len(out)-1].Interface().(abi.Result)
	if !ok || result != abi.Success {
		return
	}
	for _, v := range out[:len(out)-1] {
		switch v.Kind() {
		case reflect.Uintptr, reflect.Uint64, reflect.UnsafePointer:
			if v.Type() != reflect.TypeFor[uint64]() && !v.IsZero() {
				s.known[v.Type()] = append(s.known[v.Type()], v)
			}
		}
	}
	s.count(m.Name)
}

// count keeps the number of live objects.
func (s *session) count(name string) {
	switch name {
	case "EventCreate":
		s.events++
	case "EventDestroy":
		s.events--
	case "ArrayCreateSparse":
		s.arrays++
	case "ArrayDestroy":
		s.arrays--
	case "MemPoolCreate":
		s.pools++
	case "MemPoolDestroy":
		s.pools--
	case "MemAddressReserve":
		s.ranges++
	case "MemAddressFree":
		s.ranges--
	case "StreamCreate":
		s.stream++
	case "StreamDestroy":
		s.stream--
	}
}

// check compares the driver's own figures with those of the session.
func (s *session) check() {
	live := s.Live()
	for kind, n := range map[Kind]int{KindEvent: s.events, KindArray: s.arrays, KindPool: s.pools, KindRange: s.ranges, KindStream: s.stream} {
		if live[kind] != n {
			s.t.Fatalf("%d of kind %s are live, %d were made and not released", live[kind], kind, n)
		}
	}
	if free, total, r := s.MemGetInfo(s.ctx); r == abi.Success && free > total {
		s.t.Fatalf("%d of %d bytes are free", free, total)
	}
}

// run plays a session. Whatever functions a program calls, with any arguments, the driver returns and counts live objects correctly.
func (s *session) run() {
	s.known[reflect.TypeFor[abi.Context]()] = []reflect.Value{reflect.ValueOf(s.ctx)}
	for i := 0; len(s.ops) > 0 && i < 300; i++ {
		s.call()
		s.check()
	}
	s.RunAll()
	s.check()
	s.Reset(Config{})
	if live := s.Live(); len(live) != 0 {
		s.t.Fatalf("after Reset: %v", live)
	}
}

// session of bytes; the first byte chooses the machine.
func newSession(t testing.TB, ops []byte) *session {
	kind := byte(0)
	if len(ops) > 0 {
		kind, ops = ops[0], ops[1:]
	}
	r := newRig(t, Config{Capacity: 256 << 20, Schedule: uint64(kind & 1), Hazards: kind&2 != 0, Recycle: kind&4 != 0, NoPeers: kind&8 != 0, Fill: int(kind&16) - 1})
	return &session{rig: r, ops: ops, known: map[reflect.Type][]reflect.Value{}}
}

func FuzzCalls(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		ops := make([]byte, 600)
		for i := range ops {
			ops[i] = byte(r.Uint32())
		}
		f.Add(ops)
	}
	f.Fuzz(func(t *testing.T, ops []byte) { newSession(t, ops).run() })
}
