package cuda

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// argument returns the bytes of a kernel's argument as they are in memory.
func argument(a any) ([]byte, error) {
	if a == nil {
		return nil, errors.New("nil is no value of a kernel")
	}
	t := reflect.TypeOf(a)
	if err := onlyNumbers(t); err != nil {
		return nil, err
	}
	if t.Size() == 0 {
		return nil, fmt.Errorf("%v has no bytes", t)
	}
	v := reflect.New(t)
	v.Elem().Set(reflect.ValueOf(a))
	return unsafe.Slice((*byte)(v.UnsafePointer()), t.Size()), nil
}

// onlyNumbers refuses types that hold Go pointers, which mean nothing to a device.
func onlyNumbers(t reflect.Type) error {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return nil
	case reflect.Array:
		return onlyNumbers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if err := onlyNumbers(f.Type); err != nil {
				return fmt.Errorf("field %s of %v: %w", f.Name, t, err)
			}
		}
		return nil
	}
	return fmt.Errorf("%v is not made of numbers only", t)
}
