package cuda

import (
	"errors"
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// The functions of this file implement the methods of generated pools that have the same names. They act on the driver's memory pool that
// the chunks come from, and bind an unused pool to its device first. If a fallback allocator without such a pool is in force, they return
// poolrt.ErrUnsupported. They are safe for concurrent use.

// DriverStats returns the figures of the driver's pool.
func DriverStats(e *poolimpl.Engine) (s MemPoolStats, err error) {
	err = behind(e, func(p MemPool) (err error) {
		s, err = p.Stats()
		return err
	})
	return s, err
}

// DriverAttr returns an attribute of the driver's pool.
func DriverAttr(e *poolimpl.Engine, a MemPoolAttribute) (value uint64, err error) {
	err = behind(e, func(p MemPool) (err error) {
		value, err = p.Attribute(a)
		return err
	})
	return value, err
}

// SetDriverAttr changes an attribute of the driver's pool.
func SetDriverAttr(e *poolimpl.Engine, a MemPoolAttribute, value uint64) error {
	return behind(e, func(p MemPool) error { return p.SetAttribute(a, value) })
}

// DriverHandle returns the handle of the driver's pool.
func DriverHandle(e *poolimpl.Engine) (handle uintptr, err error) {
	err = behind(e, func(p MemPool) error {
		handle = p.Handle()
		return nil
	})
	return handle, err
}

// ResetPeaks restarts the peaks of the pool and of the driver's pool.
func ResetPeaks(e *poolimpl.Engine) error {
	if err := e.ResetPeaks(); err != nil {
		return err
	}
	return behind(e, MemPool.ResetPeaks)
}

// Trim returns empty chunks until the pool holds no more than keep bytes, and then unused memory of the driver's pool, until that reserves no
// more than keep bytes. It returns the bytes of the chunks. It does not bind an unused pool.
func Trim(e *poolimpl.Engine, keep int64) (released int64, err error) {
	released, err = e.Trim(keep)
	if errors.Is(err, poolrt.ErrClosed) || errors.Is(err, poolrt.ErrBadSize) {
		return released, err
	}
	return released, errors.Join(err, e.Driver(false, func(pool any) error {
		s, ok := pool.(asyncSource)
		if !ok {
			return nil
		}
		return s.trim(keep)
	}))
}

// behind calls f with the driver's pool from which a pool allocates.
func behind(e *poolimpl.Engine, f func(MemPool) error) error {
	return e.Driver(true, func(pool any) error {
		s, ok := pool.(asyncSource)
		if !ok {
			return fmt.Errorf("%w: the allocator in force has no pool of the driver's", poolrt.ErrUnsupported)
		}
		p, err := s.behind()
		if err != nil {
			return err
		}
		return f(p)
	})
}
