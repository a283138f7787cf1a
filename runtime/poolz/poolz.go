// Package poolz serves a page that shows the pools of a program: what they hold, their budgets, a map of the memory of each, and how all that goes on. It is
// there for its effect,
//
//	import _ "github.com/poolgen/poolgen/runtime/poolz"
//
// and the page is at /debug/poolz/ of the default HTTP server. It binds no address and starts no goroutine: a program that serves nothing has to do so itself,
//
//	go func() { log.Println(http.ListenAndServe("localhost:6060", nil)) }()
//
// and one that has a mux of its own gives it [Handler].
//
// Who can open the page sees the names, sizes and addresses of all pools, under the tags pooldebug and pooltrace also functions and files of the program, and can
// have it walk its pools as often as they like. As with net/http/pprof, it is for those who run the program, not for its users: do not serve it on an address
// that others can reach. No request changes anything.
package poolz

import "net/http"

func init() { http.Handle("/debug/poolz/", Handler()) }
