// Package torn has a mistake in its syntax, after which a field is not seen.
package torn

// Torn has lost a field.
type Torn struct {
	A uint8
	B uint16 uint32
	C uint32
}
