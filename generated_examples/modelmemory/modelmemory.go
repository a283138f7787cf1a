// Package modelmemory holds the pools of device memory that recorded allocation traces of real models are replayed on.
package modelmemory
