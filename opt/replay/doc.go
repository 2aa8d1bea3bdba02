// Package replay repeats faults, finds the rewrites that cause them, and makes their inputs smaller.
package replay
