// Package tracked shows pools of numbers: resources that live elsewhere and are known by a number, one at a time or in runs.
package tracked
