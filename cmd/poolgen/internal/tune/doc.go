// Package tune searches the settings of a pool for those that serve recorded traces with the least memory in the time allowed, or in the least time with the
// memory allowed.
//
// Nothing is modelled: what a [Candidate] is worth is measured by [Bench], which generates, builds and replays it as a real pool. What is tried does not depend
// on times, which are noise from run to run, but on what is exact (bytes reserved, calls of the source) and on a seed. So two searches with
// the same seed try the same candidates and find the same bytes, on any machine.
//
//	grid     the candidates to begin with, made for the sizes that the traces ask for
//	refine   changes of the best of them, a setting at a time
//	front    those that nothing tried beats both in bytes and in time
//	pick     the one of the front that a bound asks for
//	choices  what each of its settings buys
package tune
