package vsps_test

import (
	"encoding/binary"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/vsps"
)

// FuzzLiftEmit checks that any valid program is lifted or refused with a diagnostic, and that a lifted
// program is emitted without a panic, unless its model is only read. Input that is not a program selects
// a random one.
func FuzzLiftEmit(f *testing.F) {
	for seed := range uint64(20) {
		m := gen.Models[seed%uint64(len(gen.Models))]
		data, err := d3d9.Encode(gen.ProgramOf(m, seed, 20))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := d3d9.Read("fuzz", data)
		if err != nil {
			var b [10]byte
			copy(b[:], data)
			p = gen.ProgramOf(gen.Models[int(b[8])%len(gen.Models)], binary.LittleEndian.Uint64(b[:]),
				int(b[9])%80)
		}
		if len(d3d9.Validate(p)) > 0 {
			return
		}
		g, err := vsps.Lift(p)
		if err != nil {
			return
		}
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		if _, err := vsps.Emit(p, g); err != nil && vsps.CanEmit(p.Model) {
			t.Fatal(err)
		}
	})
}
