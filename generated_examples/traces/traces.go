// Package traces holds the pools that recorded allocation traces of real programs are replayed on.
package traces
