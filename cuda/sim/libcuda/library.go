//go:build cudasim && cgo && linux && (amd64 || arm64)

package main

// #include <stdint.h>
import "C"

import (
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

//export cuInit
func cuInit(flags C.uint) C.int {
	if flags != 0 {
		return C.int(abi.InvalidValue)
	}
	s := driver.Load()
	initialised.Store(s.Result == abi.Success)
	return C.int(s.Result)
}

//export cuDriverGetVersion
func cuDriverGetVersion(to *C.int) C.int {
	if to == nil {
		return C.int(abi.InvalidValue)
	}
	v, r := driver.DriverGetVersion()
	*to = C.int(v)
	return C.int(r)
}

// texts are the texts that C has got. They stay, as those of a driver do.
var texts struct {
	mu sync.Mutex
	of map[string]*C.char
}

// give writes a text for the caller; the empty one stands for a code that is unknown.
func give(to **C.char, text string) C.int {
	if to == nil {
		return C.int(abi.InvalidValue)
	}
	*to = nil
	if text == "" {
		return C.int(abi.InvalidValue)
	}
	texts.mu.Lock()
	defer texts.mu.Unlock()
	if texts.of == nil {
		texts.of = map[string]*C.char{}
	}
	if texts.of[text] == nil {
		texts.of[text] = C.CString(text)
	}
	*to = texts.of[text]
	return C.int(abi.Success)
}

//export cuGetErrorName
func cuGetErrorName(code C.int, to **C.char) C.int {
	return give(to, driver.GetErrorName(abi.Result(code)))
}

//export cuGetErrorString
func cuGetErrorString(code C.int, to **C.char) C.int {
	return give(to, driver.GetErrorString(abi.Result(code)))
}
