// Package debugging tests which misuse pools report in programs that are built with the tag pooldebug. Without the tag it tests the rest: leaks are
// counted.
package debugging
