package trace

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/poolgen/poolgen/runtime/internal/callers"
)

// Frame is one call of a call stack.
type Frame struct {
	Function  string
	File      string
	Line      int
	Generated bool // the call is in a file that poolgen has generated for the pool
}

// Frames lists the calls of a stack, the innermost first. The list begins with the exported function of the pool that the program called, and leaves out what that calls.
func Frames(stack []uintptr) iter.Seq[Frame] {
	return func(yield func(Frame) bool) {
		var own *poolFiles
		for f := range callers.Frames(stack) {
			if ofEngine(f.Function) || f.Function == "runtime.goexit" {
				continue
			}
			if own == nil { // the first frame outside of the engine is its caller
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

// ofEngine reports whether a function is of package poolimpl.
func ofEngine(function string) bool {
	return strings.HasPrefix(function, "github.com/poolgen/poolgen/runtime/poolimpl.")
}

// poolFiles are the files that are generated for a pool.
type poolFiles struct{ shell, pool, adapters string }

// filesOf returns the files of a pool whose shell is the given file.
func filesOf(shell string) *poolFiles {
	stem, ok := strings.CutSuffix(shell, "_shell.go")
	if !ok { // not a generated file
		return &poolFiles{}
	}
	return &poolFiles{shell, stem + "_pool.go", stem + "_adapters.go"}
}

// have reports whether a file is one of them.
func (p *poolFiles) have(file string) bool {
	return file != "" && (file == p.shell || file == p.pool || file == p.adapters)
}

// exported reports whether other packages can call a function by its name. The name of a closure begins with a small letter.
func exported(function string) bool {
	first, _ := utf8.DecodeRuneInString(function[strings.LastIndexByte(function, '.')+1:])
	return unicode.IsUpper(first)
}

// WriteStack writes the calls of a stack, each in two lines, as stack traces of Go have them.
func WriteStack(b *strings.Builder, stack []uintptr) {
	for f := range Frames(stack) {
		fmt.Fprintf(b, "\n      %s\n          %s:%d", f.Function, f.File, f.Line)
	}
}

// Sites numbers call stacks in order of first use. The zero value is empty.
type Sites struct {
	list   [][]Frame
	number map[string]uint32 // by the program counters of the stack
}

// Of returns the number of a call stack, from 1 on.
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

// List returns the call stacks by number, from number 1 on.
func (s *Sites) List() [][]Frame { return s.list }
