// Package cluster tests the jobs of docs/cluster.md: the job of Kubernetes has the fields of its API, the script of Slurm is one, and the commands in both
// have the flags of poolgen tune.
package cluster
