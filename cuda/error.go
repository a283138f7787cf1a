package cuda

import (
	"fmt"
	"os"
	"strings"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Error is a call that failed. Test for its kind with errors.Is: it matches [poolrt.ErrOutOfMemory], [poolrt.ErrUnsupported]
// (the device or driver cannot do it) and [poolrt.ErrNoDriver] where they apply.
type Error struct {
	Op     string // the function of the driver, without its prefix: "MemAlloc"; or "Init" where loading the driver failed
	Code   Result
	Device Device // device of the call; -1 if none
	Bytes  int64  // requested bytes; 0 if none
	Detail string // details: the loader's message, the compiler's log, which argument; may be empty

	kind error // error of package runtime that it also matches; nil: none
}

// Error returns one line: what failed, where, and why.
func (e *Error) Error() string {
	if e.Op == opInit {
		return e.absence()
	}
	var b strings.Builder
	b.WriteString("cuda: ")
	b.WriteString(e.Op)
	if e.Bytes != 0 {
		fmt.Fprintf(&b, " of %d bytes", e.Bytes)
	}
	if e.Device >= 0 {
		fmt.Fprintf(&b, " on device %d", e.Device)
	}
	fmt.Fprintf(&b, ": %v", e.Code)
	if text := e.Code.Text(); text != "" {
		fmt.Fprintf(&b, ": %s", text)
	}
	if e.Detail != "" {
		fmt.Fprintf(&b, " (%s)", strings.TrimSpace(e.Detail))
	}
	return b.String()
}

// absence returns why there is no driver: the library, what is wrong with it, and what to do.
func (e *Error) absence() string {
	text := "cuda: no driver: " + e.Detail
	if e.Code > 0 {
		text += ": " + e.Code.String()
	}
	if todo := e.remedy(); todo != "" {
		text += "; " + todo
	}
	return text
}

// remedy says what to do when there is no driver. A library that the user has named is not to be installed.
func (e *Error) remedy() string {
	const named = "POOLGEN_CUDA_LIBRARY names it: unset the variable, or set it to the driver's library"
	switch {
	case os.Getenv("POOLGEN_CUDA_LIBRARY") == "":
	case e.Code == ResultNoLibrary:
		return named
	case e.Code == ResultNoFunction:
		return e.Code.Text() + ", or it is none: " + named
	}
	return e.Code.Text()
}

// Unwrap returns the error of package runtime that corresponds to a wrong argument, if there is one.
func (e *Error) Unwrap() error { return e.kind }

// Is matches the general errors of pools.
func (e *Error) Is(target error) bool {
	switch target {
	case poolrt.ErrOutOfMemory:
		return e.Code == ResultOutOfMemory
	case poolrt.ErrNoDriver:
		return noDriver[e.Code] || e.Op == opInit
	case poolrt.ErrUnsupported:
		return unsupported[e.Code] && e.Op != opInit
	}
	return false
}

// opInit is the operation of errors that say why there is no driver.
const opInit = "Init"

// nowhere is the device of calls that are for no device.
const nowhere = Device(-1)

// check returns the error of a result, or nil. It is small enough to be inlined: success costs a comparison.
func check(r abi.Result, op string, d Device, bytes int64) error {
	if r == abi.Success {
		return nil
	}
	return failure(r, op, d, bytes, "")
}

// failure returns the error of a call. If there is no driver, the error says why.
func failure(r abi.Result, op string, d Device, bytes int64, detail string) error {
	if r == abi.NoLibrary || r == abi.NoCgo || r == abi.NotInitialized {
		if err := Probe(); err != nil {
			return err
		}
	}
	if r == abi.NoFunction && detail == "" {
		if err := Probe(); err != nil {
			return err
		}
		detail = "cu" + op
	}
	return &Error{Op: op, Code: Result(r), Device: d, Bytes: bytes, Detail: detail}
}

// refuse returns the error of an argument that is wrong independently of the driver.
func refuse(op string, d Device, bytes int64, detail string) error {
	return &Error{Op: op, Code: ResultInvalidValue, Device: d, Bytes: bytes, Detail: detail}
}
