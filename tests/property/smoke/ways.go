package smoke

import (
	"errors"
	"reflect"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// helpers tests the ways to allocate other than Alloc.
func (tr *trial) helpers() {
	tr.t.Helper()
	for range min(8, len(tr.live)) {
		tr.drop()
	}
	var args []any
	if !tr.item() {
		args = append(args, 1)
	}
	if out, _ := tr.call("TryAlloc", args...); out[1].Bool() {
		tr.enter(out[0], 1)
	}
	if ref, err := tr.call("AllocRef", args...); err == nil {
		tr.allocs++
		tr.ref(ref[0])
	} else if !errors.Is(err, poolrt.ErrLimit) {
		tr.errorf("AllocRef: %v", err)
	}
	used := errors.New("used")
	scope := reflect.MakeFunc(tr.scopeType(), func([]reflect.Value) []reflect.Value {
		tr.allocs++
		return []reflect.Value{reflect.ValueOf(&used).Elem()}
	})
	if _, err := tr.call("With", append(args, scope)...); !errors.Is(err, used) && !errors.Is(err, poolrt.ErrLimit) {
		tr.errorf("With: %v", err)
	}
	if tr.item() {
		tr.batch()
	} else if out, err := tr.call("AllocAligned", 1, int(min(max(tr.Align, 256), tr.Chunk)&^255|256)); err == nil {
		if b := tr.enter(out[0], 1); b.addr%256 != 0 {
			tr.errorf("AllocAligned at %#x", b.addr)
		}
	}
	tr.check("helped")
}

func (tr *trial) scopeType() reflect.Type {
	typ := tr.pool.MethodByName("With").Type()
	return typ.In(typ.NumIn() - 1)
}

// ref releases an owner twice.
func (tr *trial) ref(v reflect.Value) {
	tr.t.Helper()
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	release := func() error {
		err, _ := p.MethodByName("Release").Call(nil)[0].Interface().(error)
		return err
	}
	if err := release(); err != nil {
		tr.errorf("Release: %v", err)
	}
	if err := release(); !errors.Is(err, poolrt.ErrDoubleFree) {
		tr.errorf("second Release: %v", err)
	}
}

// batch allocates and frees five blocks at a time, one of them twice.
func (tr *trial) batch() {
	tr.t.Helper()
	dst := reflect.MakeSlice(tr.sliceType(), 5, 5)
	if _, err := tr.call("AllocBatch", dst); err != nil {
		if !errors.Is(err, poolrt.ErrLimit) {
			tr.errorf("AllocBatch: %v", err)
		}
		if tr.Counters { // blocks that a failed batch allocated and freed count as well
			tr.allocs = tr.stats().Allocs
		}
		return
	}
	before := len(tr.live)
	for i := range 5 {
		tr.enter(dst.Index(i), 1)
	}
	tr.check("batch")
	tr.live = tr.live[:before]
	twice := reflect.Append(dst, dst.Index(2))
	if _, err := tr.call("FreeBatch", twice); !errors.Is(err, poolrt.ErrInvalidFree) {
		tr.errorf("FreeBatch with a block twice: %v", err)
	}
	tr.check("batch freed")
}

// sliceType is the type of a batch.
func (tr *trial) sliceType() reflect.Type { return tr.pool.MethodByName("AllocBatch").Type().In(0) }
