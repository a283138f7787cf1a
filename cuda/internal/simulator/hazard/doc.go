// Package hazard finds uses of memory that nothing orders: two operations that touch the same bytes, one of them writing, with no chain
// of streams, events and waits of the host between them, and blocks of a pool that are given to a stream before what happened to them
// elsewhere is sure to be over.
//
// Order is kept by vector clocks, as in detectors of data races (Lamport; Mattern; Fidge): each stream, each branch of a graph and the
// host is a lane with positions, and each operation has a clock that says up to which position of each lane everything comes before it.
// So what is found does not depend on when operations happen to run: one run of a program finds a missing wait under any schedule.
//
// Memory is named by what is physically there, so that two addresses of the same memory, and two lives of it, count as the same.
package hazard
