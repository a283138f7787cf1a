// Package registry is what all pools of a program share: the list of pools, what options set, and who hears of events. Package poolrt shows it to
// programs, and package poolimpl, whose engines are the pools, fills it.
package registry
