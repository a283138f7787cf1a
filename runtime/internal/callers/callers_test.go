package callers

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// stacks is one call stack, taken in both ways.
type stacks struct{ own, gos [64]uintptr }

//go:noinline
func (s *stacks) take() { Take(s.own[:]); runtime.Callers(1, s.gos[:]) }

// compare requires that both have the same calls.
func (s *stacks) compare(t *testing.T) {
	t.Helper()
	var got, want []string
	for f := range Frames(trimmed(s.own[:])) {
		got = append(got, text(f))
	}
	for it, more := runtime.CallersFrames(trimmed(s.gos[:])), true; more; {
		var f runtime.Frame
		f, more = it.Next()
		want = append(want, text(f))
	}
	if len(want) < 3 || !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func text(f runtime.Frame) string { return fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line) }

// trimmed returns the part of a stack that was filled.
func trimmed(stack []uintptr) []uintptr { return stack[:slices.Index(stack, 0)] }

// Calls of all kinds, for TestFrames. Those that are not inlined are called by wrappers of the compiler.

func inner(s *stacks) { s.take() }
func outer(s *stacks) { inner(s) }

type value struct{ s *stacks }

//go:noinline
func (v value) Take() { v.s.take() }

//go:noinline
func (v value) With(int, string) { v.s.take() }

//go:noinline
func (v value) bound() func() { return v.Take }

type embedding struct{ value }

type pointing struct{ *value }

type taker interface {
	Take()
	With(int, string)
}

//go:noinline
func through(v taker) { v.Take(); v.With(1, "") }

type list[E any] struct{ s *stacks }

//go:noinline
func (l *list[E]) Take() { l.s.take() }

//go:noinline
func (l list[E]) With(int, string) { l.s.take() }

//go:noinline
func oneLine[E any](s *stacks, n int) bool { return n > 0 && oneLine[E](s, n-1) || n == 0 && s.taken() }

func (s *stacks) taken() bool {
	s.take()
	return true
}

//go:noinline
func generic[E any](s *stacks, n int) {
	if n > 0 {
		generic[E](s, n-1)
		return
	}
	s.take()
}

//go:noinline
func call(f func(*stacks, int), s *stacks, n int) { f(s, n) }

//go:noinline
func deep(n int, then func()) {
	var room [512]byte
	if n == 0 {
		then()
		return
	}
	deep(n-1, then)
	room[n] = 1
}

//go:noinline
func fault(p, q *int) int {
	deep(0, func() { *q = 1 }) // so that there is a frame
	if p == q {                // so that both are in registers
		return 0
	}
	*q = 2
	return *p
}

func recovered(then func()) {
	defer func() { _ = recover() }()
	then()
}

func each(yield func(int) bool) { yield(1) }

// early is taken before the program begins.
var early = func() (s stacks) { s.take(); return s }()

var kinds = map[string]func(s *stacks){
	"inlined":        outer,
	"method value":   func(s *stacks) { value{s}.bound()() },
	"interface":      func(s *stacks) { through(&value{s}) },
	"embedded":       func(s *stacks) { through(embedding{value{s}}) },
	"generic":        func(s *stacks) { generic[string](s, 0) },
	"generic value":  func(s *stacks) { call(generic[string], s, 0) },
	"recursion":      func(s *stacks) { call(generic[string], s, 3) },
	"one line":       func(s *stacks) { oneLine[string](s, 3) },
	"generic method": func(s *stacks) { through(&list[string]{s}) },
	"deferred":       func(s *stacks) { defer s.take() },
	"deferred with":  func(s *stacks) { defer value{s}.With(1, "") },
	"deferred often": func(s *stacks) {
		for range 2 {
			defer func() { s.take() }()
		}
	},
	"panic":           func(s *stacks) { recovered(func() { defer s.take(); panic(1) }) },
	"deferred panic":  func(s *stacks) { recovered(func() { defer s.take(); defer panic(1) }) },
	"fault":           func(s *stacks) { recovered(func() { defer s.take(); fault(nil, new(int)) }) },
	"nil receiver":    func(s *stacks) { recovered(func() { defer s.take(); through((*value)(nil)) }) },
	"nil in receiver": func(s *stacks) { recovered(func() { defer s.take(); through(pointing{}) }) },
	"after a panic":   func(s *stacks) { recovered(func() { fault(nil, new(int)) }); s.take() },
	"iterator": func(s *stacks) {
		for range each {
			s.take()
		}
	},
	"callback":        func(s *stacks) { slices.SortFunc([]int{2, 1}, func(a, b int) int { s.take(); return a - b }) },
	"goroutine":       func(s *stacks) { joined(func(end func()) { go func() { s.take(); end() }() }) },
	"goroutine with":  func(s *stacks) { joined(func(end func()) { go finish(s, end) }) },
	"stack that grew": func(s *stacks) { joined(func(end func()) { go deep(40, func() { s.take(); end() }) }) },
	"initialisation":  func(s *stacks) { *s = early },
}

//go:noinline
func finish(s *stacks, end func()) { s.take(); end() }

// joined waits for a goroutine that start starts.
func joined(start func(end func())) {
	end := make(chan struct{})
	start(func() { close(end) })
	<-end
}

// A stack has the calls that it has by the functions of Go, whatever they are.
func TestFrames(t *testing.T) {
	for name, take := range kinds {
		t.Run(name, func(t *testing.T) {
			var s stacks
			take(&s)
			s.compare(t)
		})
	}
	for range Frames(nil) {
		t.Error("no stack has a call")
	}
}

// Stacks are whole while they move.
func TestMovingStacks(t *testing.T) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n := range 200 {
				joined(func(end func()) {
					go deep(n%50, func() {
						defer end()
						var s stacks
						for range 20 {
							s.take()
						}
						s.compare(t)
					})
				})
			}
		})
	}
	for range 20 {
		runtime.GC()
	}
	all.Wait()
}

// A stack that is longer than there is room for is cut.
func TestLongStack(t *testing.T) {
	deep(50, func() {
		var stack [10]uintptr
		if n := Take(stack[:]); n != len(stack) || slices.Contains(stack[:], 0) {
			t.Errorf("%d of %x", n, stack)
		}
	})
	if n := Take(nil); n != 0 {
		t.Errorf("%d without room", n)
	}
}

// BenchmarkTake takes a stack of 10 calls and those of the benchmark; BenchmarkCallers does so by the functions of Go.
func BenchmarkTake(b *testing.B) { measure(b, Take) }

func BenchmarkCallers(b *testing.B) {
	measure(b, func(stack []uintptr) int { return runtime.Callers(1, stack) })
}

func measure(b *testing.B, take func([]uintptr) int) {
	deep(10, func() {
		var stack [32]uintptr
		for b.Loop() {
			take(stack[:])
		}
	})
}
