package nccl

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Result is the result of a function of NCCL (ncclResult_t). Negative ones are poolgen's own: there is no library that can be called.
type Result int32

// Results that programs act on.
const (
	ResultInternalError   = Result(abi.NCCLInternalError)
	ResultInvalidArgument = Result(abi.NCCLInvalidArgument)
	ResultInvalidUsage    = Result(abi.NCCLInvalidUsage)
	ResultRemoteError     = Result(abi.NCCLRemoteError)
	ResultNoLibrary       = Result(abi.NCCLNoLibrary)
	ResultNoFunction      = Result(abi.NCCLNoFunction)
)

// Error is a call that failed. With errors.Is it matches [ErrNoLibrary] if there is no library that can be called, [poolrt.ErrUnsupported] if the library is too
// old, and [poolrt.ErrClosed] after Close or Abort.
type Error struct {
	Op     string // the function of NCCL, without its prefix: "AllReduce"
	Code   Result
	Rank   int    // that called; -1 if none
	Detail string // what the library says, or which argument is wrong; may be empty

	text   string // of the code
	closed bool
}

// noRank is the rank of calls for none.
const noRank = -1

// Error returns one line: what failed, where, and why.
func (e *Error) Error() string {
	if e.Code == ResultNoLibrary {
		return "nccl: no library: " + e.Detail + "; " + remedy()
	}
	if e.Code == ResultNoFunction {
		return "nccl: the library is too old: " + e.Detail + "; NCCL 2.23 or later has it"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "nccl: %s", e.Op)
	if e.Rank != noRank {
		fmt.Fprintf(&b, " of rank %d", e.Rank)
	}
	fmt.Fprintf(&b, ": %s", cmp.Or(e.text, fmt.Sprintf("result %d", e.Code)))
	if e.Detail != "" {
		fmt.Fprintf(&b, " (%s)", strings.TrimSpace(e.Detail))
	}
	return b.String()
}

// remedy says what to do when there is no library. A program that cannot call a driver cannot call NCCL, either, for the same reason.
func remedy() string {
	if cuda.Backend() == "none" {
		return cuda.ResultNoCgo.Text()
	}
	return "install NCCL, or name its library in POOLGEN_NCCL_LIBRARY"
}

// Is matches the general errors.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrNoLibrary:
		return e.Code < 0
	case poolrt.ErrUnsupported:
		return e.Code == ResultNoFunction
	case poolrt.ErrClosed:
		return e.closed
	}
	return false
}

// failure returns the error of a call.
func failure(lib abi.NCCL, r abi.NCCLResult, op string, rank int, detail string) error {
	return &Error{Op: op, Code: Result(r), Rank: rank, Detail: cmp.Or(detail, lib.GetLastError()), text: lib.GetErrorString(r)}
}

// refuse returns the error of an argument that is wrong independently of the library.
func refuse(op string, rank int, format string, args ...any) error {
	return &Error{Op: op, Code: ResultInvalidArgument, Rank: rank, Detail: fmt.Sprintf(format, args...), text: "invalid argument"}
}
