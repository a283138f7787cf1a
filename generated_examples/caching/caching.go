// Package caching shows size classes: freed buffers stay cached for their class, so a program that asks for the same
// sizes again and again takes them from a list.
package caching
