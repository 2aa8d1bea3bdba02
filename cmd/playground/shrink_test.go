package main

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// handMade returns a small program with an exported memory of one page, and an empty function.
func handMade(memory []byte) *program {
	return &program{memory: memory, sections: []section{
		{typeSection, []byte{1, 0x60, 0, 0}},
		{importSection, []byte{0}},
		{functionSection, []byte{1, 0}},
		{5, []byte{1, 0, 1}}, // the memory section
		{7, []byte{1, 1, 'm', 2, 0}},
		{codeSection, []byte{1, 2, 0, end}},
		{dataSection, nil},
	}}
}

// TestSegments checks that segments without the zeros reproduce the memory.
func TestSegments(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var memory []byte
		for range random.IntN(20) {
			memory = append(memory, make([]byte, random.IntN(3*gap))...)
			for range random.IntN(200) {
				memory = append(memory, byte(random.IntN(4)))
			}
		}
		code := handMade(memory).bytes()
		m, err := parse(code)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(m.memory, bytes.TrimRight(memory, "\x00")) && !bytes.Equal(m.memory, memory) {
			t.Fatalf("%x is read as %x", memory, m.memory)
		}
		if !bytes.Equal(m.bytes(), code) {
			t.Fatalf("%x is written in another way the second time", memory)
		}
	}
	memory := make([]byte, 1<<16)
	memory[40000] = 1
	if n := len(segments(memory)); n != 9 {
		t.Errorf("a byte among zeros takes %d", n)
	}
}

// TestParseErrors checks that data that is not a module, or a truncated module, is an error.
func TestParseErrors(t *testing.T) {
	m := handMade([]byte{1, 2, 3})
	code := m.bytes()
	for n := range len(header) {
		if _, err := parse(code[:n]); err == nil {
			t.Errorf("%d bytes are a module", n)
		}
	}
	at := len(header)
	for _, s := range m.sections[:len(m.sections)-1] {
		for n := at + 2; n < at+2+len(s.body); n++ {
			if _, err := parse(code[:n]); err == nil {
				t.Errorf("%d of %d bytes are a module", n, len(code))
			}
		}
		at += 2 + len(s.body)
	}
	passive := slices.Concat(code[:at], []byte{dataSection, 4, 1, 1, 1, 7})
	if _, err := parse(passive); err == nil {
		t.Error("a segment without an address is data")
	}
}

func TestSigned(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 127, 128, 8191, 8192, 1 << 20, 1<<30 - 1} {
		b := signed(nil, n)
		// The definition of signed LEB128.
		got, shift := 0, 0
		for _, c := range b {
			got |= int(c&0x7f) << shift
			shift += 7
		}
		if last := b[len(b)-1]; got != n || last&0x40 != 0 || last&0x80 != 0 {
			t.Errorf("%d is %x", n, b)
		}
	}
}
