// Package hazard finds uses of memory that nothing orders: two operations that touch the same bytes, one of them writing, with no chain
// of streams, events and waits of the host between them, and blocks of a pool that are given to a stream before what happened to them
// elsewhere is sure to be over.
//
// Order is kept by vector clocks, as in detectors of data races (Lamport; Mattern; Fidge): each stream, each branch of a graph and the host is an axis
// with positions, and each operation has a clock that says up to which position of each axis everything comes before the operation. So findings do not
// depend on when operations happen to run: one run of a program finds a missing wait under any schedule.
//
// Memory is identified by its physical place, so two addresses of the same memory count as the same, and so do two allocations of it.
package hazard
