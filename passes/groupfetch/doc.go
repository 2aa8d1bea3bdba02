// Package groupfetch brings fetches together, so that they fill clauses and reach the
// texture cache in runs.
package groupfetch
