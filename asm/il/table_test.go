package il

import (
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"regexp"
	"strings"
	"testing"
)

// TestTables checks that every table row is complete and unique.
func TestTables(t *testing.T) {
	names := map[string]Op{}
	for op := OpInvalid + 1; op < numOps; op++ {
		info := &opTable[op]
		if info.names == "" {
			t.Errorf("op %d has no name", op)
		}
		for _, name := range strings.Fields(info.names) {
			if other, ok := names[name]; ok {
				t.Errorf("%s is both op %d and %d", name, other, op)
			}
			names[name] = op
		}
		if strings.Trim(info.form, "dmMsv1ODRAnNiLFW") != "" {
			t.Errorf("%s has the form %q", op, info.form)
		}
		if strings.Count(info.form, "s")+strings.Count(info.form, "v")+strings.Count(info.form, "1") > len(Inst{}.Src) {
			t.Errorf("%s has too many sources", op)
		}
		if (info.kind == Declaration) != strings.HasPrefix(info.names, "dcl_") ||
			(info.kind == Flow) != (info.role != NoRole) {
			t.Errorf("%s has kind %d and role %d", op, info.kind, info.role)
		}
		if strings.ContainsAny(info.form, "DRA") != (info.declares != 0) {
			t.Errorf("%s declares %#x", op, info.declares)
		}
		if info.space != noSpace && info.need&(cID|cResource|cStage) == 0 {
			t.Errorf("%s refers to a %s without number", op, spaceNames[info.space])
		}
		if info.need&info.may != 0 {
			t.Errorf("%s needs what it may leave out", op)
		}
	}
	if 1<<(len(controlTable)-1) != cPrecise {
		t.Errorf("%d controls in the table, %d bits", len(controlTable), cPrecise)
	}
	for f := NoFile + 1; f < numFiles; f++ {
		if f.String() == "" {
			t.Errorf("file %d has no name", f)
		}
	}
}

// misspelt are the histogram entries that are not instructions.
var misspelt = map[string]bool{
	"il_ps_2_0": true, "il_cs_2_0": true, // headers
	"dx11_ps": true, // a client tag
	"dp":      true, // a dot product that lost its digit
	"neq":     true, // meant to be ne
}

// TestHistogram checks that the table has every opcode, with its controls, that occurs in the
// source kernels of the corpus.
func TestHistogram(t *testing.T) {
	corpusFiles(t)
	args := map[string]string{"_resource": "0", "_sampler": "0", "_id": "0", "_type": "2d,unnorm", "_zeroop": "zero",
		"_interp": "linear", "_aoffimmi": "0,0,0"}
	hole := regexp.MustCompile(`_[a-z]+\(\)`)
	n := 0
	for _, line := range strings.Split(string(readFile(t, testcorpus.Path(t, "corpus/il/OPCODE_HISTOGRAM.txt"))), "\n") {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] == "MODS" || misspelt[fields[0]] {
			continue
		}
		n++
		word := hole.ReplaceAllStringFunc(fields[0], func(s string) string {
			name := s[:len(s)-2]
			if arg, ok := args[name]; ok {
				return name + "(" + arg + ")"
			}
			return name + "(float)"
		})
		p := parser{src: word, end: len(word)}
		if !p.mnemonic(&Inst{}) {
			t.Errorf("%s: %v", word, p.diags)
		}
	}
	if n < 100 {
		t.Errorf("only %d opcodes in the histogram", n)
	}
}
