//go:build cudasim

package rig

import (
	"reflect"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Subject is a pool of any type. Its methods are called by name.
type Subject struct{ reflect.Value }

// SubjectOf returns the Subject of a pool.
func SubjectOf(pool any) Subject { return Subject{reflect.ValueOf(pool)} }

// Has reports whether the pool has a method.
func (s Subject) Has(method string) bool { return s.MethodByName(method).IsValid() }

// Call calls a method and returns its results, except for the last, which is the error.
func (s Subject) Call(method string, args ...any) (results []reflect.Value, err error) {
	var in []reflect.Value
	for _, a := range args {
		in = append(in, reflect.ValueOf(a))
	}
	out := s.MethodByName(method).Call(in)
	err, _ = out[len(out)-1].Interface().(error)
	return out[:len(out)-1], err
}

// Do calls a method for its error.
func (s Subject) Do(method string, args ...any) error {
	_, err := s.Call(method, args...)
	return err
}

// Take allocates a block by a method that may have more parameters than the size.
func (s Subject) Take(method string, bytes int, more ...any) (block any, err error) {
	if s.MethodByName(method).Type().NumIn() > len(more) {
		more = append([]any{s.count(method, bytes)}, more...)
	}
	out, err := s.Call(method, more...)
	if err != nil {
		return nil, err
	}
	return out[0].Interface(), nil
}

// Tiles are blocks without an address.
type Tiles interface{ Memory() cuda.Memory }

// count is the number of items, each a byte, or of tiles, for so many bytes: both need the same number of chunks.
func (s Subject) count(method string, bytes int) int {
	if _, tiled := reflect.Zero(s.MethodByName(method).Type().Out(0)).Interface().(Tiles); tiled {
		return bytes>>11 + 1
	}
	return bytes
}

// Stats returns the statistics of the pool.
func (s Subject) Stats() poolrt.Stats {
	return s.MethodByName("Stats").Call(nil)[0].Interface().(poolrt.Stats)
}

// Poll reclaims what streams have freed.
func (s Subject) Poll() { s.MethodByName("Poll").Call(nil) }
