// Package rig has what tests of generated pools on the simulated driver share: a machine that is looked at in the end, and short ways to say
// what is expected of a call. It is empty in builds without the tag cudasim.
package rig
