// Package gvn numbers values so that equal ones have equal numbers, and removes
// instructions that compute again what is at hand.
package gvn
