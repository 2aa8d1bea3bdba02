package kernel

import (
	"errors"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
)

// FuzzRun checks that a run ends with a result or a diagnostic for any text.
func FuzzRun(f *testing.F) {
	for seed := range uint64(12) {
		f.Add(ilgen.Text(seed, ilgen.Options{Stage: il.Stage(seed % 2)}),
			[]byte("domain 5 3\nglobal 40 rand 1 -1 1\nuav 0 40 rand 2\nin 0 4 4 float4 rand 3"))
	}
	f.Add([]byte(flowHeader+"end"), []byte(everything))
	f.Fuzz(func(t *testing.T, text, launch []byte) {
		k, err := il.Parse("k", text)
		if err != nil {
			return
		}
		p, err := Compile(k)
		if err != nil {
			mustBeDiag(t, err)
			return
		}
		c, err := ParseCase("c", launch)
		if err != nil {
			mustBeDiag(t, err)
			c = &Case{Width: 5, Height: 3, Global: &Buffer{Elements: 40}}
		} else if back, err := ParseCase("c", c.Format()); err != nil {
			t.Fatalf("%v\n%s", err, c.Format())
		} else if string(back.Format()) != string(c.Format()) {
			t.Fatalf("formats as\n%s\nand then as\n%s", c.Format(), back.Format())
		}
		if c.Width*c.Height > 1<<10 || memoryOf(c) > 1<<14 {
			return // slow without being interesting
		}
		_, err = p.Run(c, Options{Steps: 1 << 20})
		mustBeDiag(t, err)
	})
}

// memoryOf counts the elements of memory.
func memoryOf(c *Case) (n int) {
	if c.Global != nil {
		n = c.Global.Elements
	}
	for i := range c.Resources {
		n += c.Resources[i].Width * c.Resources[i].Height * c.Resources[i].Depth
	}
	for i := range c.Views {
		n += c.Views[i].Width * c.Views[i].Height * c.Views[i].Depth
	}
	return n
}

func mustBeDiag(t *testing.T, err error) {
	var d *asm.Diag
	if err != nil && !errors.As(err, &d) {
		t.Fatalf("%v is no diagnostic", err)
	}
}
