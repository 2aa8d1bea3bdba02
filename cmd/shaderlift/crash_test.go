package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
)

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("no such luck") }

// TestCrash checks that a panic during listing, reading or processing of inputs, in any goroutine,
// ends with a message and the status of a fault.
func TestCrash(t *testing.T) {
	for _, args := range [][]string{
		{"stats", "@-"},
		{"opt", "-"},
		{"run", "-"},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(context.Background(), args, panicking{}, &stdout, &stderr); status != statusFault {
			t.Errorf("%v ends with %d, want %d", args, status, statusFault)
		}
		if text := stderr.String(); !strings.Contains(text, "internal fault: no such luck") ||
			strings.Contains(text, "goroutine") {
			t.Errorf("%v says:\n%s", args, text)
		}
	}
}

// TestReadyPanics checks that a panic while a worker handles an outcome is the error of only that
// input.
func TestReadyPanics(t *testing.T) {
	args := []string{"../../testdata/conv1d/conv1d.vsh", "../../testdata/conv1d/conv1d.psh"}
	a := &app{ctx: t.Context(), in: stdin{r: strings.NewReader("")}}
	jobs, err := a.listJobs(args)
	if err != nil {
		t.Fatal(err)
	}
	work := func(in shaderlift.Input) (*shaderlift.Result, error) { return &shaderlift.Result{Name: in.Name}, nil }
	ready := func(o *outcome) {
		if o.text = []byte("told"); strings.HasSuffix(o.input, ".psh") {
			panic("here")
		}
	}
	var done []string
	if err := a.batch(jobs, 2, work, ready, func(o *outcome) {
		done = append(done, fmt.Sprintf("%s: %v %v", o.text, o.res.Status == shaderlift.Failed, o.err != nil))
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"told: false false", ": true true"}; !slices.Equal(done, want) {
		t.Errorf("outcomes are %q, want %q", done, want)
	}
}
