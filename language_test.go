package shaderlift_test

import (
	"os"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
)

// A build without a language rejects its inputs in every function, and treats the other language like
// every build: go test -tags nokernels, and nod3d9.
func TestLanguages(t *testing.T) {
	read := func(paths ...string) (in shaderlift.Input) {
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in.Files = append(in.Files, shaderlift.File{Name: path, Data: data})
		}
		return in
	}
	for _, c := range []struct {
		in    shaderlift.Input
		built bool
	}{
		{read("testdata/conv1d/conv1d.vsh", "testdata/conv1d/conv1d.psh"), asm.BuiltD3D9},
		{read("testdata/conv1d/conv1d.psh"), asm.BuiltD3D9},
		{read("testdata/il/pldi_v1.il"), asm.BuiltKernels},
	} {
		o := shaderlift.Options{Kernel: shaderlift.KernelOptions{Domain: [2]int{64, 64}}}
		tasks := map[string]func() error{
			"Optimize": func() error { _, err := shaderlift.Optimize(t.Context(), c.in, o); return err },
			"Explain":  func() error { _, err := shaderlift.Explain(t.Context(), c.in, o); return err },
			"Stats":    func() error { _, err := shaderlift.Stats(t.Context(), c.in, o); return err },
			"Verify":   func() error { _, err := shaderlift.Verify(t.Context(), c.in, c.in, o); return err },
			"Listing":  func() error { _, err := shaderlift.Listing(t.Context(), c.in, o); return err },
		}
		for name, task := range tasks {
			err := task()
			if refused := err != nil && strings.Contains(err.Error(), "[not-built]"); refused == c.built ||
				c.built && err != nil {
				t.Errorf("%s of %s: %v", name, c.in.Path(), err)
			}
		}
	}
	// Every build rejects the same options.
	for _, o := range []shaderlift.Options{{Host: shaderlift.HostOptions{Partner: "nobody"}}, {Fit: "ps_9_9"},
		{Target: "nobody"},
		{Host: shaderlift.HostOptions{Assume: []shaderlift.Assumption{9}}},
		{Host: shaderlift.HostOptions{PixelConstants: 9}}} {
		if err := o.Check(); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
