package allreduce

//go:generate go run ../../cmd/poolgen generate
