package htmlreport_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/opt/htmlreport"
)

// TestImproved checks that a page shows changed costs other than slots, the number of improved
// parts, and GPUs whose time is unchanged. Names are only broken at word separators.
func TestImproved(t *testing.T) {
	var files []shaderlift.File
	for _, path := range conv1d {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, shaderlift.File{Name: path, Data: data})
	}
	var effect fxtest.Builder
	effect.Technique("T")
	effect.AddPass("P", fxtest.Shader{Data: fxtest.Assemble(string(files[0].Data))},
		fxtest.Shader{Data: fxtest.Assemble(string(files[1].Data))})
	for _, c := range []struct {
		in    shaderlift.Input
		wants []string
	}{
		{shaderlift.Input{Name: "a_<b>", Files: files}, []string{
			`>a_<wbr>&lt;b&gt;</a>`, `<td>pixel texture read phases</td><td class="n">1</td><td class="n">2</td>`, `<span class="why">the same time</span>`}},
		{shaderlift.Input{Name: "effect", Files: []shaderlift.File{{Name: "e.fxb", Data: effect.Build()}}},
			[]string{"; 1 of 1 parts better"}},
	} {
		res, err := shaderlift.Explain(t.Context(), c.in, shaderlift.Options{})
		if err != nil {
			t.Fatal(err)
		}
		page := htmlreport.NewPage(shaderlift.NewReport(shaderlift.Options{}))
		page.Add(res, nil)
		var b strings.Builder
		if err := page.Write(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.wants {
			if !strings.Contains(b.String(), want) {
				t.Errorf("the page of %s has no %s", c.in.Name, want)
			}
		}
	}
}

// TestTabs checks that each part of an effect has a tab, and that its section is open. A reason that repeats names the
// line that has it.
func TestTabs(t *testing.T) {
	page := reported(t, []string{"../../examples/effects/arrays/Lit.fxb"})
	tabs := regexp.MustCompile(`<a href="#(r0-\d+)">[^<]*(<wbr>[^<]*)? <span class="why">\d`).FindAllStringSubmatch(page, -1)
	if n := strings.Count(page, `<details id="r0-`); n < 2 || n != len(tabs) {
		t.Errorf("%d parts, %d tabs", n, len(tabs))
	}
	for _, tab := range tabs {
		if !strings.Contains(page, `<details id="`+tab[1]+`" open>`) {
			t.Errorf("%s is not open", tab[1])
		}
	}
	if again := regexp.MustCompile(`<div class="why">as at [^ ]+ \[`); !again.MatchString(reported(t, conv1d)) {
		t.Error("no reason refers to another line")
	}
}
