// Package poolz serves a page for the browser that shows the pools of a program while it runs: their statistics, their budgets, and maps of their memory.
//
// Import the package for its side effect:
//
//	import _ "github.com/poolgen/poolgen/runtime/poolz"
//
// The page is then at /debug/poolz/ of the default HTTP server. The package listens on no address and starts no goroutine. A program that serves nothing yet starts a
// server:
//
//	go func() { log.Println(http.ListenAndServe("localhost:6060", nil)) }()
//
// A program with a mux of its own registers [Handler] there.
//
// # Security
//
// The page shows the names, sizes and addresses of all pools and, in programs built with the tags pooldebug and pooltrace and of pools with profile: true, functions
// and files of the program. Each request can have the program take a snapshot of its pools. As with net/http/pprof, the page is for those who run the program, not
// for its users: do not serve the page on an address that others can reach. No request changes a pool. Where a browser can reach it,
// [OnlyHosts] keeps pages of other sites from reading it.
package poolz

import "net/http"

func init() { http.Handle("/debug/poolz/", Handler()) }
