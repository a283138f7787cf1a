package scene

//go:generate go run ../../cmd/poolgen generate
