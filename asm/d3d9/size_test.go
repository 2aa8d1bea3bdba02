package d3d9

import (
	"strings"
	"testing"
)

func TestSize(t *testing.T) {
	nested := func(n int) string {
		return "ps_3_0\n" + strings.Repeat("if b0\n", n) + strings.Repeat("endif\n", n)
	}
	for name, c := range map[string]struct {
		src, code string
	}{
		"within":           {nested(maxOpen), ""},
		"beyond":           {nested(maxOpen + 1), "nesting-too-deep"},
		"far beyond":       {nested(100_000), "nesting-too-deep"},
		"else is no block": {"ps_3_0\n" + strings.Repeat("if b0\nelse\nendif\n", 2*maxOpen), ""},
		"statements":       {"ps_3_0\n" + strings.Repeat("nop\n", maxStatements), ""},
		"too many":         {"ps_3_0\n" + strings.Repeat("nop\n", maxStatements+1), "too-large"},
	} {
		p, err := Parse("", []byte(c.src))
		switch {
		case c.code == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.code != "" && (err == nil || !strings.Contains(err.Error(), "["+c.code+"]")):
			t.Errorf("%s: %v, not %s", name, err, c.code)
		}
		if err != nil {
			continue
		}
		data, err := Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode("", data); err != nil {
			t.Errorf("%s: as bytecode: %v", name, err)
		}
	}
}

func TestSizeOfBytecode(t *testing.T) {
	p, err := Parse("", []byte("ps_3_0\nif b0\nendif\n"))
	if err != nil {
		t.Fatal(err)
	}
	open := p.Insts[0]
	for n, code := range map[int]string{maxOpen: "", maxOpen + 1: "nesting-too-deep",
		maxStatements + 1: "nesting-too-deep"} {
		q := &Program{Model: p.Model, Binary: true}
		for range n {
			q.Insts = append(q.Insts, open)
		}
		data, err := Encode(q)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode("", data); (err != nil) != (code != "") ||
			err != nil && !strings.Contains(err.Error(), "["+code+"]") {
			t.Errorf("%d blocks: %v, not %q", n, err, code)
		}
	}
}
