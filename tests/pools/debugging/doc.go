// Package debugging tests what pools tell of misuse in programs that are built with the tag pooldebug. Without the tag it tests what is left: leaks are
// counted.
package debugging
