package shaderlift_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt/replay"
	"github.com/shaderlift/shaderlift/verify"
)

// TestCanceled checks that operations end with their context, with its cause as the error and without a
// fault.
func TestCanceled(t *testing.T) {
	gone := errors.New("nobody waits for it")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	kernel := fromFile(t, "testdata/il/jang_naive.il")
	pair := fromFile(t, "testdata/conv1d/conv1d.vsh", "testdata/conv1d/conv1d.psh")
	fault := &shaderlift.Fault{Input: pair, Options: shaderlift.Options{Require: verify.Proved}}
	for name, run := range map[string]func() error{
		"Optimize, a pair":   func() error { _, err := shaderlift.Optimize(ctx, pair, shaderlift.Options{}); return err },
		"Optimize, a kernel": func() error { _, err := shaderlift.Optimize(ctx, kernel, shaderlift.Options{}); return err },
		"Verify":             func() error { _, err := shaderlift.Verify(ctx, pair, pair, shaderlift.Options{}); return err },
		"Stats":              func() error { _, err := shaderlift.Stats(ctx, kernel, shaderlift.Options{}); return err },
		"Run":                func() error { _, _, err := shaderlift.Run(ctx, pair, shaderlift.Options{}); return err },
		"RunKernel":          func() error { _, _, err := shaderlift.RunKernel(ctx, kernel, shaderlift.Options{}); return err },
		"Bisect":             func() error { _, err := replay.Bisect(ctx, fault); return err },
		"Reduce":             func() error { _, _, err := replay.Reduce(ctx, fault, 10); return err },
		"Replay":             func() error { return replay.Replay(ctx, fault).Err },
	} {
		if err := run(); err != gone {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCanceledOnTheWay checks that a cancellation takes effect during an optimization.
func TestCanceledOnTheWay(t *testing.T) {
	in := fromFile(t, "testdata/il/pldi_final.il")
	const prompt = 2 * time.Second // for the current step to end, on a loaded machine
	for _, wait := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		start := time.Now()
		res, err := shaderlift.Optimize(ctx, in, shaderlift.Options{Pipeline: "O3", Keep: true})
		cancel()
		if took := time.Since(start); took > wait+prompt {
			t.Errorf("a context of %v ended the work after %v", wait, took)
		}
		if err != nil && (!errors.Is(err, context.DeadlineExceeded) || res.Status != shaderlift.Failed || len(res.Files)+len(res.Faults) > 0) {
			t.Errorf("%v: %s, %d files, %d faults, %v", wait, res.Status, len(res.Files), len(res.Faults), err)
		}
	}
}

// fromFile returns an input of files.
func fromFile(t *testing.T, names ...string) (in shaderlift.Input) {
	t.Helper()
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, shaderlift.File{Name: name, Data: data})
	}
	return in
}
