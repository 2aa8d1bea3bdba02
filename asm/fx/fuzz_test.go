package fx_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// checkAny checks the guarantee of Decode on arbitrary data: it is refused with a diagnostic, or
// encoded back byte for byte.
func checkAny(t *testing.T, data []byte) {
	e, err := fx.Decode("fuzz", data)
	if err != nil {
		if d := (*asm.Diag)(nil); !errors.As(err, &d) || d.Code == "" {
			t.Fatalf("%x: %v", data, err)
		}
		return
	}
	e.Draws(e.Shaders())
	if got, err := fx.Encode(e); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("%x is written as %x (%v)", data, got, err)
	}
	if _, err := fx.Encode(moved(e)); err != nil {
		t.Fatalf("%x cannot be written anew: %v", data, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(sample().Build())
	f.Add(selecting(vertices("VSIndices", 4, "Index"), pixels("PSIndices", 4, "Index")).Build())
	f.Add((&fxtest.Builder{}).Build())
	f.Fuzz(checkAny)
}

// TestDamaged checks that damaged effects, truncated or with changed offsets and counts, are
// refused or satisfy the guarantees.
func TestDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2002))
	whole := [][]byte{sample().Build(), selecting(vertices("VSIndices", 4, "Index"),
		pixels("PSIndices", 4, "Index")).Build()}
	for i := range 20000 {
		bad := bytes.Clone(whole[i%2])
		if rng.IntN(8) == 0 {
			bad = bad[:rng.IntN(len(bad))]
		}
		for range rng.IntN(4) {
			if i := rng.IntN(len(bad)/4+1) * 4; i+4 <= len(bad) {
				binary.LittleEndian.PutUint32(bad[i:],
					[]uint32{0, 1, 1 << 31, ^uint32(0), uint32(rng.IntN(len(bad))), rng.Uint32()}[rng.IntN(6)])
			}
		}
		checkAny(t, bad)
	}
}

func words(ws ...uint32) (data []byte) {
	for _, w := range ws {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// effect returns a file of a pool and records.
func effect(pool, records []uint32) []byte {
	return append(words(0xfeff0901, uint32(4*len(pool))), append(words(pool...), words(records...)...)...)
}

func repeated(n int, ws ...uint32) (all []uint32) {
	for range n {
		all = append(all, ws...)
	}
	return all
}

// TestDiagnostics checks that each kind of damage has its code.
func TestDiagnostics(t *testing.T) {
	const float, object, sampler = 3, 4, 12
	scalar := []uint32{0, float, 0, 0, 0, 0, 1, 1, 0}
	for name, c := range map[string]struct {
		code   string
		offset int
		data   []byte
	}{
		"empty":             {"truncated", 0, nil},
		"another tag":       {"unknown-format", 0, words(0xfeff0902, 0)},
		"wrapper":           {"truncated", 4, words(0xbcf00bcf, 100, 0, 0)},
		"pool":              {"truncated", 4, words(0xfeff0901, 1<<31)},
		"no records":        {"truncated", 8, words(0xfeff0901, 0)},
		"2^31 parameters":   {"truncated", 8, effect(nil, []uint32{1 << 31, 0, 0, 0})},
		"2^31 techniques":   {"truncated", 12, effect(nil, []uint32{0, 1 << 31, 0, 0})},
		"2^31 objects":      {"truncated", 24, effect(nil, []uint32{0, 0, 0, 0, 1 << 31, 0})},
		"length of object":  {"truncated", 36, effect(nil, []uint32{0, 0, 0, 1, 1, 0, 0, 0xfffffffe})},
		"id of object":      {"unknown-object", 32, effect(nil, []uint32{0, 0, 0, 1, 1, 0, 1, 0})},
		"state of record":   {"unknown-state", 32, effect(nil, []uint32{0, 0, 0, 1, 0, 1, 0, 0, ^uint32(0), 0, 0, 0})},
		"type out of pool":  {"out-of-pool", 8 + 400, effect(scalar, []uint32{1, 0, 0, 0, 400, 0, 0, 0, 0, 0})},
		"value out of pool": {"out-of-pool", 8 + 36, effect(scalar, []uint32{1, 0, 0, 0, 4, 36, 0, 0, 0, 0})},
		"offset of 2^32-1": {"out-of-pool", 8 + (1<<32 - 1),
			effect(scalar, []uint32{1, 0, 0, 0, 1<<32 - 1, 0, 0, 0, 0, 0})},
		"name out of pool": {"out-of-pool", 8 + 4, effect([]uint32{0, 99}, []uint32{0, 1, 0, 0, 4, 0, 0, 0, 0})},
		"name without end": {"string-end", 8 + 4, effect([]uint32{0, 2, 0x4141}, []uint32{0, 1, 0, 0, 4, 0, 0, 0, 0})},
		"class": {"unknown-class", 8 + 8,
			effect([]uint32{0, float, 6, 0, 0, 0}, []uint32{1, 0, 0, 0, 4, 0, 0, 0, 0, 0})},
		"2^31 elements": {"value-size", 8 + 4,
			effect([]uint32{0, float, 0, 0, 0, 1 << 31, 1, 1}, []uint32{1, 0, 0, 0, 4, 0, 0, 0, 0, 0})},
		"2^31 rows": {"value-size", 8 + 4,
			effect([]uint32{0, float, 0, 0, 0, 0, 1 << 31, 1 << 31}, []uint32{1, 0, 0, 0, 4, 0, 0, 0, 0, 0})},
		"id of value": {"unknown-object", 8,
			effect([]uint32{5, 15, object, 20, 20, 0, 0}, []uint32{1, 0, 0, 5, 4, 0, 0, 0, 0, 0})},
		"sampler of itself": {"nested-sampler", 8 + 24,
			effect([]uint32{0, sampler, object, 0, 0, 0, 1, 164, 0, 4, 24}, []uint32{1, 0, 0, 5, 4, 24, 0, 0, 0, 0})},
		"2^31 states": {"truncated", 8 + 24,
			effect([]uint32{0, sampler, object, 0, 0, 0, 1 << 31, 164, 0, 4, 24}, []uint32{1, 0, 0, 5, 4, 24, 0, 0, 0, 0})},
		"structure": {"truncated", 8 + 24,
			effect([]uint32{0, float, 5, 0, 0, 0, 1 << 31}, []uint32{1, 0, 0, 0, 4, 0, 0, 0, 0, 0})},
		"structure too deep": {"nested-too-deep", 0,
			effect(append([]uint32{0}, repeated(40, float, 5, 0, 0, 0, 1)...), []uint32{1, 0, 0, 0, 4, 0, 0, 0, 0, 0})},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := fx.Decode("test", c.data)
			d := (*asm.Diag)(nil)
			if !errors.As(err, &d) {
				t.Fatalf("it is read (%v)", err)
			}
			if string(d.Code) != c.code || c.offset > 0 && d.Pos.Offset != c.offset {
				t.Errorf("%v, not %s at %#x", d, c.code, c.offset)
			}
		})
	}
}

// TestOverlapping checks that work and memory are linear in the file, even if its parts overlap.
func TestOverlapping(t *testing.T) {
	const many = 1 << 15
	samplers := append([]uint32{0, 12, 4, 0, 0, 0, 1 << 12}, repeated(1<<12, 169, 0, 4, 24)...)
	structure := append([]uint32{0, 0, 5, 0, 0, 0, 1 << 12}, repeated(1<<12, 3, 0, 0, 0, 0, 1, 1)...)
	array := append([]uint32{0, 15, 4, 0, 0, 1 << 16}, make([]uint32, 1<<16)...)
	members := append([]uint32{0, 0, 5, 0, 0, 0, 1}, repeated(1<<14, 0, 5, 0, 0, 0, 1)...)
	for name, c := range map[string]struct{ pool, parameter []uint32 }{
		"samplers":   {samplers, []uint32{4, 24, 0, 0}},
		"structures": {structure, []uint32{4, 28, 0, 0}},
		"arrays":     {array, []uint32{4, 24, 0, 0}},
		"nested":     {members, []uint32{4, 0, 0, 0}},
	} {
		records := append([]uint32{many, 0, 0, 1}, repeated(many, c.parameter...)...)
		data := effect(c.pool, append(records, 0, 0))
		start := time.Now()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := fx.Decode("test", data)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: it is read", name)
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("%s: %v (%s)", name, err, d)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
			t.Errorf("%s: %d bytes of memory", name, n)
		}
	}
}
