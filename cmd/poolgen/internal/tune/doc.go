// Package tune searches the settings of a pool for those that serve recorded traces with the least memory in the time allowed, or in the least time with the
// memory allowed.
//
// Nothing is modelled: [Bench] measures a [Candidate] by generating, building and replaying it as a real pool. The choice of candidates does not
// depend on times, which vary from run to run, but on exact figures (bytes reserved, calls of the source) and on a seed. Two searches with the same
// seed try the same candidates and find the same bytes, on any machine.
//
//	grid the first candidates, made for the sizes in the traces
//	refine   changes of the best of them, a setting at a time
//	front those that no other candidate beats both in bytes and in time
//	pick the best one of the front under a bound
//	choices what each of its settings gains; those that gain nothing are dropped
package tune
