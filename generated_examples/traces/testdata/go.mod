module github.com/poolgen/poolgen/generated_examples/traces/testdata
