package spvs

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
)

// FuzzLift checks that any module is lifted to a valid function, or refused with a diagnostic.
func FuzzLift(f *testing.F) {
	paths, err := filepath.Glob("../verify/interp/spirv/testdata/*.spv")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := spirv.Decode("fuzz", data)
		if err != nil {
			return
		}
		if p, err := Lift(m, "", Options{}); err == nil {
			if err := p.Func.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestDamaged lifts damaged modules. The lift must not panic, even if the modules were not checked.
func TestDamaged(t *testing.T) {
	paths, err := filepath.Glob("../verify/interp/spirv/testdata/*.spv")
	if err != nil || len(paths) == 0 {
		t.Fatal("no modules")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			damaged := append([]byte(nil), data...)
			for range 1 + r.IntN(3) {
				at := 20 + 4*r.IntN(len(data)/4-5)
				w := binary.LittleEndian.Uint32(damaged[at:])
				switch r.IntN(4) {
				case 0:
					w = uint32(r.IntN(64))
				case 1:
					w ^= 1 << r.IntN(32)
				case 2:
					w = w&^0xffff | uint32(r.IntN(400))
				default:
					w = binary.LittleEndian.Uint32(data[20+4*r.IntN(len(data)/4-5):])
				}
				binary.LittleEndian.PutUint32(damaged[at:], w)
			}
			m, err := spirv.Decode(path, damaged)
			if err != nil {
				continue
			}
			if p, err := Lift(m, "", Options{}); err == nil {
				if err := p.Func.Check(); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
	}
}
