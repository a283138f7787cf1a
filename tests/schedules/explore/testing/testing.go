// Package testing has the names of the standard library's that checks of templates use. What fails is a fault.
package testing

import "github.com/poolgen/poolgen/tests/schedules/explore"

// T is the standard library's.
type T struct{}

// TB is the standard library's.
type TB = *T

func (*T) Helper()                           {}
func (*T) Errorf(format string, args ...any) { explore.Failf(format, args...) }
func (*T) Fatalf(format string, args ...any) { explore.Failf(format, args...) }
func (*T) Fatal(args ...any)                 { explore.Failf("%v", args) }
