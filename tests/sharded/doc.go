// Package sharded tests pools that scale with cores, under load.
package sharded
