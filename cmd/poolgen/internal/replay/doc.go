// Package replay runs a recorded allocation trace through generated pools and measures them.
//
// Nothing is modelled: the pools are generated from the pool file as it stands, compiled, and driven call by
// call. No file of the user is changed for that; what has to be added to the generated package is given to the go command as
// an overlay:
//
//	ReadTrace   CSV -> Trace, checked; encoded as a tape for the program
//	adapter     one loop for each pool, a test file of the generated package
//	Build       the test program: generated files + adapter + package harness -> executable
//	Program.Run one process for each pool and trace -> Row
package replay
