package nccl

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
	"github.com/poolgen/poolgen/cuda/internal/nccl"
)

// ErrNoLibrary matches the error of every function when there is no NCCL that can be called.
var ErrNoLibrary = errors.New("no NCCL library")

// library returns the table, or why there is none.
func library(op string) (abi.NCCL, error) {
	lib, missing := nccl.Table()
	if missing != nil {
		return nil, &Error{Op: op, Code: Result(missing.Result), Rank: noRank, Detail: missing.Detail}
	}
	return lib, nil
}

// Version returns the version of the library, such as "2.28.9".
func Version() (string, error) {
	const op = "GetVersion"
	lib, err := library(op)
	if err != nil {
		return "", err
	}
	n, r := lib.GetVersion()
	if r != abi.NCCLSuccess {
		return "", failure(lib, r, op, noRank, "")
	}
	return fmt.Sprintf("%d.%d.%d", n/10000, n/100%100, n%100), nil
}

// LibraryPath returns the path of the library as the loader found it, "simulator" for the simulated one, and "" if there is none.
func LibraryPath() string {
	lib, missing := nccl.Table()
	if missing != nil {
		return ""
	}
	return lib.Path()
}

// on calls f while the context of a device is current on the thread, and puts back the context that was current: NCCL uses the current device, and may choose another.
func on(d cuda.Device, f func() error) error {
	ctx, err := d.PrimaryContext()
	if err != nil {
		return err
	}
	t := driver.Table()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, r := t.CtxGetCurrent()
	if r == abi.Success && uintptr(before) != ctx {
		r = t.CtxSetCurrent(abi.Context(ctx))
	}
	if r != abi.Success {
		return &cuda.Error{Op: "CtxSetCurrent", Code: cuda.Result(r), Device: d}
	}
	defer t.CtxSetCurrent(before)
	return f()
}
