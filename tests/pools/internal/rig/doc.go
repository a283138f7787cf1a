// Package rig has what tests of generated pools share: items seen as bytes (BytesOf), pools whose blocks streams use seen as one type (Streamed), and each call
// in turn that fails (EachCall). In builds with the tag cudasim there is more: a simulated machine that is looked at in the end, programs that go on when
// a call of the driver fails (Run), and short ways to say what is expected of a call.
package rig
