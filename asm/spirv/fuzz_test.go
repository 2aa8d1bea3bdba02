package spirv

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// checkBinary checks the guarantees on a binary: the reader and Check return errors, and a module that Check accepts is
// unchanged by Encode, and by Format and Parse.
func checkBinary(t *testing.T, data []byte) (accepted bool) {
	m, err := Decode("fuzz", data)
	if err != nil {
		return false
	}
	if !bytes.Equal(m.Encode(), data) {
		t.Fatalf("% x encodes differently", data)
	}
	text := m.Format()
	if err := m.Check(); err != nil {
		return false
	}
	again, err := Parse("fuzz", text)
	if err != nil {
		t.Fatalf("%v in the text of % x:\n%s", err, data, text)
	}
	if !bytes.Equal(again.Encode(), data) {
		for i := range m.Insts {
			if a, b := m.Insts[i].appendTo(nil), again.Insts[i].appendTo(nil); !slices.Equal(a, b) {
				t.Errorf("instruction %d, %s, is %x after Format, not %x", i, m.Insts[i].Op, b, a)
			}
		}
		t.Fatalf("% x differs after Format", data)
	}
	return true
}

// checkText checks the guarantees on a text: a module that Check accepts is unchanged by Encode and Decode, and by
// Format and Parse.
func checkText(t *testing.T, text []byte) {
	m, err := Parse("fuzz", text)
	if err != nil || m.Check() != nil {
		return
	}
	if !checkBinary(t, m.Encode()) {
		t.Fatalf("%q: Check accepts the text, but not the binary", text)
	}
}

func FuzzDecode(f *testing.F) {
	for _, path := range committed(f) {
		f.Add(read(f, path))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkBinary(t, data) })
}

func FuzzParse(f *testing.F) {
	for _, path := range committed(f) {
		m, err := Decode(path, read(f, path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(m.Format())
	}
	f.Add([]byte(valid))
	f.Fuzz(checkText)
}

// TestDamaged checks the guarantees on damaged modules and texts: words and bytes that are changed, removed or repeated.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	files := committed(t)
	for n := range testcorpus.Count(3000, 30000) {
		data := read(t, files[n%len(files)])
		m, err := Decode("damaged", data)
		if err != nil {
			t.Fatal(err)
		}
		checkBinary(t, damageWords(r, data))
		checkText(t, damageText(r, m.Format()))
	}
}

// damageWords returns a copy of a module with one to three damaged places.
func damageWords(r *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for range 1 + r.IntN(3) {
		at := 4 * r.IntN(len(data)/4)
		word := binary.LittleEndian.Uint32(data[at:])
		switch r.IntN(7) {
		case 0:
			word ^= 1 << r.IntN(32)
		case 1:
			word = uint32(r.IntN(200))
		case 2:
			word = r.Uint32()
		case 3:
			word += uint32(r.IntN(5)) - 2
		case 4:
			word = binary.LittleEndian.Uint32(data[4*r.IntN(len(data)/4):])
		case 5:
			return append(data[:at:at], data[min(at+4*r.IntN(8), len(data)):]...)
		case 6:
			return append(data[:at+4:at+4], data[max(at-4*r.IntN(8), 0):]...)
		}
		binary.LittleEndian.PutUint32(data[at:], word)
	}
	return data
}

// damageText returns a copy of a text with one to three damaged places: a changed byte, a removed part or a repeated
// part.
func damageText(r *rand.Rand, text []byte) []byte {
	text = bytes.Clone(text)
	for range 1 + r.IntN(3) {
		at, other := r.IntN(len(text)), r.IntN(len(text))
		n := min(r.IntN(40), len(text)-max(at, other))
		switch r.IntN(3) {
		case 0:
			text[at] = text[other]
		case 1:
			text = append(text[:at:at], text[at+n:]...)
		case 2:
			text = append(append(text[:at:at], text[other:other+n]...), text[at:]...)
		}
	}
	return text
}
