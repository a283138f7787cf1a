//go:build (unix || windows) && !pooldebug && !pooltrace

package guards

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func Example() {
	var s Server
	if err := s.Login(7); err != nil {
		fmt.Println(err)
		return
	}
	s.Request(7)
	fmt.Println(Serve(s.Retry)) // the session is there
	if err := s.Logout(7); err != nil {
		fmt.Println(err)
		return
	}
	report := Serve(s.Retry)
	fmt.Println(errors.Is(report, poolrt.ErrFault))
	for _, call := range []string{"Login", "Logout"} { // who has allocated the session, and who has freed it
		fmt.Println(strings.Contains(report.Error(), "guards.(*Server)."+call))
	}
	fmt.Println(s.pool.Close())
	// Output:
	// <nil>
	// true
	// true
	// true
	// <nil>
}

// A second free is reported with both call stacks, too.
func TestSecondLogout(t *testing.T) {
	var s Server
	if err := s.Login(7); err != nil {
		t.Fatal(err)
	}
	session := s.byUser[7]
	if err := s.Logout(7); err != nil {
		t.Fatal(err)
	}
	s.byUser[7] = session
	err := s.Logout(7)
	if !errors.Is(err, poolrt.ErrDoubleFree) || !strings.Contains(err.Error(), "(*Server).Login") || strings.Count(err.Error(), "(*Server).Logout") != 1 {
		t.Errorf("%v", err)
	}
	if err := s.pool.Close(); err != nil {
		t.Error(err)
	}
}

// Panics that have nothing to do with guarded blocks go on.
func TestOtherPanics(t *testing.T) {
	defer func() {
		if r := recover(); r != "sorry" {
			t.Errorf("%v", r)
		}
	}()
	t.Error(Serve(func() { panic("sorry") }))
}
