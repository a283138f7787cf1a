// Package rig has what tests of generated pools share: items seen as bytes (BytesOf), pools whose blocks streams use seen as one type (Streamed), and
// each call in turn that fails (EachCall). In builds with the tag cudasim there is more: a simulated machine that is checked at the end, programs
// that continue when a call of the driver fails (Run), and helpers for the expected results of calls.
package rig
