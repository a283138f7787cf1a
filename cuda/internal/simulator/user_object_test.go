package simulator

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

func (r *rig) userObject() abi.UserObject {
	r.t.Helper()
	o, result := r.UserObjectCreate()
	r.ok(result)
	return o
}

// hasGone checks whether an object has ended.
func (r *rig) hasGone(o abi.UserObject, want bool) {
	r.t.Helper()
	if gone, result := r.UserObjectGone(o); gone != want {
		r.t.Errorf("gone: %t, want %t", gone, want)
	} else {
		r.ok(result)
	}
}

// The handle of an object stands for it until the program has seen its end: another object that had the handle would be taken for it.
func TestUserObjectKeepsItsHandle(t *testing.T) {
	r := newRig(t, Config{Recycle: true})
	ended := r.userObject()
	r.ok(r.UserObjectRelease(ended))
	other := r.userObject()
	if other == ended {
		t.Error("an object has the handle of one whose end was not seen")
	}
	r.hasGone(ended, true)
	r.hasGone(other, false)
	if again := r.userObject(); again != ended {
		t.Errorf("handle %#x, want %#x again", again, ended)
	}
}

// An object of a graph that was destroyed ends with the last launch, whether the program looks or not.
func TestUserObjectEndsWithTheLaunch(t *testing.T) {
	r := newRig(t, Config{})
	s, p := r.stream(), r.alloc(8)
	r.ok(r.StreamBeginCapture(r.ctx, s))
	r.set(p, 1, 8, s)
	g, result := r.StreamEndCapture(r.ctx, s)
	r.ok(result)
	r.ok(r.GraphRetainUserObject(g, r.userObject()))
	r.launchGraph(g, s)
	r.ok(r.GraphDestroy(g))
	if n := r.Live()[KindUserObject]; n != 1 {
		t.Errorf("%d objects during the launch", n)
	}
	r.RunAll()
	if n := r.Live()[KindUserObject]; n != 0 {
		t.Errorf("%d objects after the launch: %q", n, r.Leaks())
	}
}
