package abi

import (
	"reflect"
	"testing"
)

// Every function of a table without a driver fails with the result of its status, and returns nothing that a caller could use.
func TestAbsentFails(t *testing.T) {
	why := Status{NoLibrary, "libnone.so", "not found"}
	d := Absent(why)
	if d.Load() != why || d.Path() != "" || d.Has("cuInit") || d.GetErrorName(NoLibrary) != "" || d.GetErrorString(NoLibrary) != "" {
		t.Errorf("status %+v, library %q", d.Load(), d.Path())
	}
	table := reflect.TypeFor[Driver]()
	for i := range table.NumMethod() {
		m := table.Method(i)
		if _, about := reflect.TypeFor[Library]().MethodByName(m.Name); about && m.Name != "DriverGetVersion" {
			continue // tested above
		}
		var args []reflect.Value
		for j := range m.Type.NumIn() {
			args = append(args, reflect.Zero(m.Type.In(j)))
		}
		results := reflect.ValueOf(d).MethodByName(m.Name).Call(args)
		for j, r := range results {
			want := reflect.Zero(r.Type()).Interface()
			switch {
			case j == len(results)-1:
				want = why.Result
			case m.Name == "MemExportFD", m.Name == "MemPoolExportFD":
				want = -1 // 0 is a file
			}
			if r.Interface() != want {
				t.Errorf("%s returns %v, want %v", m.Name, r, want)
			}
		}
	}
}
