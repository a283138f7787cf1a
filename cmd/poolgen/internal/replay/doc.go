// Package replay runs a recorded allocation trace through generated pools and measures them.
//
// Nothing is modelled: the pools are generated from the unchanged pool file, compiled, and called for each
// event by a program that package program builds:
//
//	ReadTraces  a file -> Trace, checked; encoded as a tape for the program
//	adapter     one loop for each pool, a test file of the generated package
//	Build       the program: generated files + adapter + package harness -> executable
//	Program.Run one process for each pool and trace -> Row
//	Job         all of it, for several pools and traces
package replay
