package budgets

//go:generate go run ../../cmd/poolgen generate
