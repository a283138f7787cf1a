// Package inturn makes several calls one after the other, also if one of them panics.
package inturn

// Call calls f with each element of the list, in order. If f panics, the later elements follow before the panic goes on. If f panics several times, the last panic
// goes on.
func Call[T any](list []T, f func(T)) {
	defer func() {
		if len(list) > 0 { // f has panicked
			Call(list, f)
		}
	}()
	for len(list) > 0 {
		next := list[0]
		list = list[1:]
		f(next)
	}
}

// Run makes calls as [Call] does.
func Run(calls ...func()) { Call(calls, func(call func()) { call() }) }
