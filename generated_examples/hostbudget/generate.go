package hostbudget

//go:generate go run ../../cmd/poolgen generate
