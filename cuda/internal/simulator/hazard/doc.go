// Package hazard finds unordered uses of memory: two operations that access the same bytes, at least one of them a write, without a chain of streams,
// events and waits of the host between them, and blocks that a pool hands out to a stream before earlier uses of them are ordered.
//
// Order is kept by vector clocks, as in detectors of data races (Lamport; Mattern; Fidge): each stream, each branch of a graph and the host is an
// axis with positions, and each operation has a clock that says up to which position of each axis everything comes before the operation. Findings
// therefore do not depend on when operations run: one run of a program finds a missing wait under any schedule.
//
// Memory is identified by its physical place, so two addresses of the same memory count as the same, and so do two allocations of it.
package hazard
