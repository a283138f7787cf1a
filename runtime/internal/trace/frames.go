package trace

import (
	"encoding/binary"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Frame is one call.
type Frame struct {
	Function  string
	File      string
	Line      int
	Generated bool // it lies in the files that poolgen has written for the pool
}

// Frames lists the calls of a stack, the innermost first, from the function of the pool on that was called: what that calls in turn stays out.
func Frames(stack []uintptr) iter.Seq[Frame] {
	return func(yield func(Frame) bool) {
		if len(stack) == 0 {
			return
		}
		var own *poolFiles
		for it, more := runtime.CallersFrames(stack), true; more; {
			var f runtime.Frame
			f, more = it.Next()
			if ofEngine(f.Function) || f.Function == "runtime.goexit" {
				continue
			}
			if own == nil { // who calls the engine
				own = filesOf(f.File)
			}
			generated := own.have(f.File)
			if generated && !exported(f.Function) {
				continue
			}
			if !yield(Frame{f.Function, f.File, f.Line, generated}) {
				return
			}
		}
	}
}

// ofEngine reports whether a function is a part of the slow path.
func ofEngine(function string) bool {
	return strings.HasPrefix(function, "github.com/poolgen/poolgen/runtime/poolimpl.")
}

// poolFiles are those that a pool is generated into.
type poolFiles struct{ shell, pool string }

// filesOf tells them by the one that calls the engine.
func filesOf(shell string) *poolFiles {
	stem, ok := strings.CutSuffix(shell, "_shell.go")
	if !ok { // of no pool that poolgen has written
		return &poolFiles{}
	}
	return &poolFiles{shell, stem + "_pool.go"}
}

func (p *poolFiles) have(file string) bool {
	return file != "" && (file == p.shell || file == p.pool)
}

// exported reports whether a function has a name that other packages can call it by. A closure has none.
func exported(function string) bool {
	first, _ := utf8.DecodeRuneInString(function[strings.LastIndexByte(function, '.')+1:])
	return unicode.IsUpper(first)
}

// WriteStack writes calls as a stack trace does.
func WriteStack(b *strings.Builder, stack []uintptr) {
	for f := range Frames(stack) {
		fmt.Fprintf(b, "\n      %s\n          %s:%d", f.Function, f.File, f.Line)
	}
}

// Sites numbers the calls that blocks were handed out to, in order of first use. Its zero value is empty.
type Sites struct {
	list   [][]Frame
	number map[string]uint32 // by the addresses of the calls
}

// Of returns the number of some calls, from 1 on.
func (s *Sites) Of(stack []uintptr) uint32 {
	var key []byte
	for _, pc := range stack {
		key = binary.LittleEndian.AppendUint64(key, uint64(pc))
	}
	if n := s.number[string(key)]; n > 0 {
		return n
	}
	if s.number == nil {
		s.number = map[string]uint32{}
	}
	s.list = append(s.list, slices.Collect(Frames(stack)))
	n := uint32(len(s.list))
	s.number[string(key)] = n
	return n
}

// List returns the calls of each number.
func (s *Sites) List() [][]Frame { return s.list }
