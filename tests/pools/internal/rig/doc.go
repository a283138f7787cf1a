// Package rig has helpers for tests of generated pools: items as bytes (BytesOf), pools whose blocks streams use as one type (Streamed), and
// each call in turn that fails (EachCall). In builds with the tag cudasim there is more: a simulated machine that is checked at the end, programs
// that continue when a call of the driver fails (Run), and helpers for the expected results of calls.
package rig
