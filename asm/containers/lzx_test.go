package containers

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

func decode(frames [][]byte, size int, w lzxWindow) ([]byte, error) {
	d := newLZX(w)
	var out []byte
	for _, f := range frames {
		part, err := d.Frame(f, min(lzxFrame, size-len(out)))
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	return out, nil
}

// Example decodes the example of the specification: an uncompressed block.
func Example() {
	d := newLZX(xnaWindow)
	out, err := d.Frame([]byte("\x00\x30\x30\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00abc\x00"), 3)
	fmt.Printf("%s %v\n", out, err)

	// Output:
	// abc <nil>
}

// text returns data with near and far matches of all lengths.
func text(n int, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 2))
	var data []byte
	for len(data) < n {
		switch rng.IntN(3) {
		case 0:
			for range 1 + rng.IntN(20) {
				data = append(data, byte(rng.IntN(1+rng.IntN(256))))
			}
		case 1:
			data = append(data, bytes.Repeat([]byte{byte(rng.IntN(256))}, rng.IntN(400))...)
		default:
			if len(data) > 0 {
				from := max(0, len(data)-1-rng.IntN(2900))
				data = append(data, data[from:min(len(data), from+rng.IntN(300))]...)
			}
		}
	}
	return data[:n]
}

func TestRoundTrip(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100, lzxFrame - 1, lzxFrame, lzxFrame + 1, 3*lzxFrame + 77} {
		for seed := range uint64(8) {
			for _, w := range []lzxWindow{15, xnaWindow, 21} {
				data := text(n, seed)
				got, err := decode(newEncoder(w, seed).encode(data), n, w)
				if err != nil || !bytes.Equal(got, data) {
					t.Fatalf("%d bytes, seed %d, window %d: %v", n, seed, w, err)
				}
			}
		}
	}
}

// TestSlots checks the numbers of slots of cabinet windows.
func TestSlots(t *testing.T) {
	for w, want := range map[lzxWindow]int{15: 30, 16: 32, 17: 34, 18: 36, 19: 38, 20: 42, 21: 50} {
		if got := w.slots(); got != want {
			t.Errorf("a window of 2^%d has %d slots, not %d", w, got, want)
		}
	}
}

// TestTranslate checks that targets after 0xe8 become relative again, except at the end of a frame.
func TestTranslate(t *testing.T) {
	frame := append([]byte("1234567\xe8\x10\x00\x00\x00\xe8\xff\xff\xff\xff"), "89\xe8\x10\x00\x00\x00....."...)
	want := append([]byte("1234567\xe8\x09\x00\x00\x00\xe8\x63\x00\x00\x00"), "89\xe8\x10\x00\x00\x00....."...)
	if translate(frame, 0, 100); !bytes.Equal(frame, want) {
		t.Errorf("%q, not %q", frame, want)
	}
}

// TestDamaged checks that damage yields an error, or other data of the requested size.
func TestDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	data := text(2*lzxFrame, 1)
	frames := newEncoder(xnaWindow, 1).encode(data)
	wrong := 0
	for range 300 {
		bad := [][]byte{bytes.Clone(frames[0]), bytes.Clone(frames[1])}
		f := rng.IntN(2)
		if rng.IntN(2) == 0 {
			bad[f] = bad[f][:rng.IntN(len(bad[f]))]
		} else {
			bad[f][rng.IntN(len(bad[f]))] ^= 1 << rng.IntN(8)
		}
		got, err := decode(bad, len(data), xnaWindow)
		if err != nil && !errors.Is(err, errCorrupt) || err == nil && len(got) != len(data) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		if err != nil {
			wrong++
		}
	}
	if wrong < 100 {
		t.Errorf("%d of 300 damaged streams are found out", wrong)
	}
}

func FuzzFrame(f *testing.F) {
	for seed := range uint64(4) {
		data := text(200, seed)
		f.Add(newEncoder(xnaWindow, seed).encode(data)[0], uint16(len(data)))
	}
	f.Fuzz(func(t *testing.T, data []byte, size uint16) {
		d := newLZX(xnaWindow)
		if out, err := d.Frame(data, int(size)); err == nil && len(out) != int(size) {
			t.Fatalf("%d bytes, not %d", len(out), size)
		}
	})
}
