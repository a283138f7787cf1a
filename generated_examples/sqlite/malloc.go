package main

import (
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// methods are the functions by which SQLite allocates: sqlite3_mem_methods, see https://sqlite.org/c3ref/mem_methods.html. SQLite keeps a copy.
var methods = sqlite3.Tsqlite3_mem_methods{
	FxMalloc: pointer(malloc), FxFree: pointer(free), FxRealloc: pointer(realloc), FxSize: pointer(size),
	FxRoundup: pointer(roundup), FxInit: pointer(begin), FxShutdown: pointer(end),
}

// arguments are those of sqlite3_config, as C passes them.
var arguments [1]uintptr

// useMemory makes SQLite allocate from the pool Memory. SQLite refuses that once the first database is open.
var useMemory = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	list := libc.VaList(uintptr(unsafe.Pointer(&arguments)), uintptr(unsafe.Pointer(&methods)))
	if code := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MALLOC, list); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("sqlite3_config failed with code %d", code)
	}
	return nil
})

// pointer returns a function of Go as translated C code calls it.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// address returns the address of a block, and 0 if there is none.
func address(block []byte, err error) uintptr {
	if err != nil {
		return 0 // SQLite reports SQLITE_NOMEM
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(block)))
}

func malloc(_ *libc.TLS, n int32) uintptr { return address(AllocMemory(int(n))) }

func free(_ *libc.TLS, p uintptr) {
	if err := FreeMemoryAt(p); err != nil {
		panic(err) // a fault of the caller, which has no way to learn of it
	}
}

func realloc(_ *libc.TLS, p uintptr, n int32) uintptr {
	block, err := FindMemory(p)
	if err == nil {
		block, err = ResizeMemory(block, int(n))
	}
	return address(block, err)
}

func size(_ *libc.TLS, p uintptr) int32 { return int32(UsableMemory(p)) }

func roundup(_ *libc.TLS, n int32) int32 { return (n + 7) &^ 7 }

func begin(_ *libc.TLS, _ uintptr) int32 { return sqlite3.SQLITE_OK }

func end(_ *libc.TLS, _ uintptr) {}
