//go:build !cudasim

package nccl

import (
	"runtime"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/native"
)

// call calls a function by its number. Arguments that are addresses are those of memory from onHeap.
func (l *library) call(function int, args ...uintptr) abi.NCCLResult {
	return abi.NCCLResult(native.SharedCall(l.functions[function], args...))
}

// onHeap returns memory for the library to read and write, which is to be kept alive for the time of the call. The stack of a goroutine may move before the call, so
// the memory must not be there; the compiler would put what new returns there, as it does not see an address in a number.
//
//go:noinline
func onHeap[T any]() *T { return new(T) }

// ask calls a function that writes a number to the place of its last argument, which args leaves out.
func (l *library) ask(function int, args ...uintptr) (uint64, abi.NCCLResult) {
	out := onHeap[uint64]()
	r := l.call(function, append(args, uintptr(unsafe.Pointer(out)))...)
	runtime.KeepAlive(out)
	return *out, r
}

// askInt is ask for a function that writes an int.
func (l *library) askInt(function int, args ...uintptr) (int, abi.NCCLResult) {
	n, r := l.ask(function, args...)
	return int(int32(n)), r
}

func (l *library) Path() string { return l.path }

func (l *library) GetVersion() (int, abi.NCCLResult) { return l.askInt(getVersion) }

func (l *library) GetErrorString(r abi.NCCLResult) string {
	return native.SharedText(l.functions[getErrorString], int32(r))
}

// GetLastError returns what the library says about its last error, on any thread.
func (l *library) GetLastError() string { return native.SharedText(l.functions[getLastError], 0) }

func (l *library) GetUniqueID() (abi.NCCLID, abi.NCCLResult) {
	id := onHeap[abi.NCCLID]()
	r := l.call(getUniqueID, uintptr(unsafe.Pointer(id)))
	runtime.KeepAlive(id)
	return *id, r
}

func (l *library) CommInitRank(ranks int, id abi.NCCLID, rank int) (abi.Comm, abi.NCCLResult) {
	m := onHeap[struct {
		comm uintptr
		id   abi.NCCLID
	}]()
	m.id = id
	r := l.call(commInitRank, uintptr(unsafe.Pointer(&m.comm)), uintptr(ranks), uintptr(rank), 1, uintptr(unsafe.Pointer(&m.id)), 0)
	runtime.KeepAlive(m)
	return abi.Comm(m.comm), r
}

func (l *library) CommDestroy(c abi.Comm) abi.NCCLResult { return l.call(commDestroy, uintptr(c)) }

func (l *library) CommAbort(c abi.Comm) abi.NCCLResult { return l.call(commAbort, uintptr(c)) }

func (l *library) CommGetAsyncError(c abi.Comm) (abi.NCCLResult, abi.NCCLResult) {
	n, r := l.askInt(commGetAsyncError, uintptr(c))
	return abi.NCCLResult(n), r
}

func (l *library) CommCount(c abi.Comm) (int, abi.NCCLResult) {
	return l.askInt(commCount, uintptr(c))
}

func (l *library) CommUserRank(c abi.Comm) (int, abi.NCCLResult) {
	return l.askInt(commUserRank, uintptr(c))
}

func (l *library) CommCuDevice(c abi.Comm) (int, abi.NCCLResult) {
	return l.askInt(commCuDevice, uintptr(c))
}

func (l *library) CommRegister(c abi.Comm, p abi.Ptr, bytes uint64) (uintptr, abi.NCCLResult) {
	n, r := l.ask(commRegister, uintptr(c), uintptr(p), uintptr(bytes))
	return uintptr(n), r
}

func (l *library) CommDeregister(c abi.Comm, handle uintptr) abi.NCCLResult {
	return l.call(commDeregister, uintptr(c), handle)
}

func (l *library) GroupStart() abi.NCCLResult { return l.call(groupStart) }

func (l *library) GroupEnd() abi.NCCLResult { return l.call(groupEnd) }

// Transfer calls the function of a kind, whose parameters differ. It is one call to C, with the change of context in it.
func (l *library) Transfer(ctx abi.Context, t *abi.Transfer) abi.NCCLResult {
	send, recv, n, typ := uintptr(t.Send), uintptr(t.Recv), uintptr(t.Count), uintptr(t.Type)
	comm, stream := uintptr(t.Comm), uintptr(t.Stream)
	switch t.Kind {
	case abi.AllReduce, abi.ReduceScatter:
		return l.callIn(ctx, t.Kind, send, recv, n, typ, uintptr(t.Op), comm, stream)
	case abi.AllGather:
		return l.callIn(ctx, t.Kind, send, recv, n, typ, comm, stream)
	case abi.Broadcast:
		return l.callIn(ctx, t.Kind, send, recv, n, typ, uintptr(t.Peer), comm, stream)
	case abi.Send:
		return l.callIn(ctx, t.Kind, send, n, typ, uintptr(t.Peer), comm, stream)
	default:
		return l.callIn(ctx, t.Kind, recv, n, typ, uintptr(t.Peer), comm, stream)
	}
}

// callIn calls a function in a context.
func (l *library) callIn(ctx abi.Context, kind abi.TransferKind, args ...uintptr) abi.NCCLResult {
	result, r := native.SharedCallIn(ctx, l.functions[kind], args...)
	if r != abi.Success {
		return abi.NCCLUnhandledCUDA
	}
	return abi.NCCLResult(result)
}
