// Package ignore silences findings.
package ignore

import "example.com/vet/pools"

func sameLine(v *pools.Vertex) {
	pools.FreeVertex(v) //poolgen:ignore PG106 the process ends here
}

func lineBefore(v *pools.Vertex) {
	//poolgen:ignore PG106 the process ends here
	pools.FreeVertex(v)
}

func lowerCase(v *pools.Vertex) {
	pools.FreeVertex(v) //poolgen:ignore pg106 the process ends here
}

func noReason(v *pools.Vertex) {
	pools.FreeVertex(v) //poolgen:ignore PG106 // want `PG106` `PG114: poolgen:ignore PG106 gives no reason`
}

func otherCode(v *pools.Vertex) {
	pools.FreeVertex(v) //poolgen:ignore PG101 it lives on // want `PG106` `PG115: poolgen:ignore PG101 silences nothing here`
}

func noCode(v *pools.Vertex) error {
	return pools.FreeVertex(v) //poolgen:ignore // want `PG114: poolgen:ignore names no code`
}

func unknownCode(v *pools.Vertex) error {
	return pools.FreeVertex(v) //poolgen:ignore PG014 it is so // want `PG114: poolgen:ignore names PG014, which is not a finding of poolgen vet`
}

func notTheNextLine(v *pools.Vertex) {
	_ = v               //poolgen:ignore PG106 not this one // want `PG115`
	pools.FreeVertex(v) // want `PG106`
}

//poolgen:ignore PG101 the process ends with it // want `PG115: poolgen:ignore PG101 silences nothing here`
func wrongPlace() error {
	v, err := pools.AllocVertex() // want `PG101: the block of pool Vertex`
	if err != nil {
		return err
	}
	v.X = 1
	return nil
}
