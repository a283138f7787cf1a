//go:build !cudasim

package nccl

import (
	"os"
	"strings"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/native"
)

// soname finds the library that the process has, wherever that is from, or the one that the loader finds.
const soname = "libnccl.so.2"

// library is the loaded library: the addresses of its functions by number.
type library struct {
	path      string
	functions [functions]uintptr
}

// The functions of the table, in the order of symbols. Transfers come first, by their kind.
const (
	getVersion = int(abi.Recv) + 1 + iota
	getErrorString
	getLastError
	getUniqueID
	commInitRank
	commDestroy
	commAbort
	commGetAsyncError
	commCount
	commUserRank
	commCuDevice
	commRegister
	commDeregister
	groupStart
	groupEnd
	functions
)

// symbols are the names in the library. All are required: NCCL has them since 2.23.
var symbols = [functions]string{
	getVersion:        "ncclGetVersion",
	getErrorString:    "ncclGetErrorString",
	getLastError:      "ncclGetLastError",
	getUniqueID:       "ncclGetUniqueId",
	commInitRank:      "ncclCommInitRankScalable", // ncclCommInitRank takes a struct by value, which cannot be passed without a compiler for C
	commDestroy:       "ncclCommDestroy",
	commAbort:         "ncclCommAbort",
	commGetAsyncError: "ncclCommGetAsyncError",
	commCount:         "ncclCommCount",
	commUserRank:      "ncclCommUserRank",
	commCuDevice:      "ncclCommCuDevice",
	commRegister:      "ncclCommRegister",
	commDeregister:    "ncclCommDeregister",
	groupStart:        "ncclGroupStart",
	groupEnd:          "ncclGroupEnd",
}

func init() { copy(symbols[:], abi.TransferNames[:]) }

func open() (abi.NCCL, *Missing) {
	names := []string{soname}
	if name := os.Getenv("POOLGEN_NCCL_LIBRARY"); name != "" {
		names = append(names, name)
	}
	var tried []string
	for _, name := range names {
		shared, err := native.OpenShared(name)
		if err != nil {
			tried = append(tried, err.Error())
			continue
		}
		return resolve(shared, name)
	}
	return nil, &Missing{abi.NCCLNoLibrary, strings.Join(tried, "; ")}
}

// resolve finds all functions, or says which is missing.
func resolve(shared native.Shared, name string) (abi.NCCL, *Missing) {
	l := &library{path: name}
	for i, symbol := range symbols {
		if l.functions[i] = shared.Symbol(symbol); l.functions[i] == 0 {
			return nil, &Missing{abi.NCCLNoFunction, name + " has no " + symbol}
		}
	}
	l.path = native.SharedPath(l.functions[getVersion], name)
	return l, nil
}
