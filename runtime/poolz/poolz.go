// Package poolz serves a page that shows the pools of a program, live: what they hold, their budgets, and a map of the memory of
// each. Import it for its side effect,
//
//	import _ "github.com/poolgen/poolgen/runtime/poolz"
//
// and find the page at /debug/poolz/ of the default HTTP server. The package binds no address and starts no goroutine: if the program
// serves nothing yet, it has to start a server,
//
//	go func() { log.Println(http.ListenAndServe("localhost:6060", nil)) }()
//
// and if it has a mux of its own, it can register [Handler] there.
//
// Anyone who can open the page sees the names, sizes and addresses of all pools, with the tags pooldebug and pooltrace also functions
// and files of the program, and can have it walk its pools as often as they like. As with net/http/pprof, the page is for those who run
// the program, not for its users: do not serve it on an address that others can reach. No request changes anything.
package poolz

import "net/http"

func init() { http.Handle("/debug/poolz/", Handler()) }
