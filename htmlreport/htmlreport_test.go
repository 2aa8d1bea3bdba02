package htmlreport_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/htmlreport"
)

// reported is the page of inputs, each a list of files.
func reported(t *testing.T, inputs ...[]string) string {
	t.Helper()
	rep := shaderlift.NewReport(shaderlift.Options{})
	for _, paths := range inputs {
		in := shaderlift.Input{}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in.Files = append(in.Files, shaderlift.File{Name: path, Data: data})
		}
		res, err := shaderlift.Explain(t.Context(), in, shaderlift.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rep.Add(res)
	}
	var b bytes.Buffer
	if err := htmlreport.Write(&b, rep); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var conv1d = []string{"../testdata/conv1d/conv1d.vsh", "../testdata/conv1d/conv1d.psh"}

func TestWrite(t *testing.T) {
	page := reported(t, conv1d, []string{"../testdata/il/pldi_v1.il"})
	for _, want := range []string{
		`<a href="#r0">conv1d</a></td><td>improved</td><td>proved-real</td><td>pixel slots</td><td class="n">16</td><td class="n">7</td>`,
		`<code>mov r1.y, c4.x</code>`,     // before
		`<tr class="draw gone" data-key=`, // and what has become of it
		`<code>add r0.xy, c0, v1</code>`,  // after
		`[texture-read]`, `SAMPLE R1`, `aria-label="how many inputs save how much"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	// What comes from an instruction of the input has its key.
	key := regexp.MustCompile(`data-key="([^"]+)" tabindex="0"><td class="rate"></td><td class="n">↥ 20<`).FindStringSubmatch(page)
	if key == nil || strings.Count(page, `data-key="`+key[1]+`"`) != 2 {
		t.Errorf("line 20 of the pixel program is not linked with what the vertex program has of it: %q", key)
	}
	if len(page) > 2<<20 {
		t.Errorf("%d bytes", len(page))
	}
	balanced(t, page)
	if regexp.MustCompile(`(src|href)="(https?:)?//`).MatchString(page) {
		t.Error("the page needs the network")
	}
}

// What is included has keys of its own, and says where it is from.
func TestWriteIncluded(t *testing.T) {
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh", Data: []byte("ps_2_0 dcl t0\n#include \"a.h\"\nmov oC0, r0\n")}}}
	in.Include = func(string, string) (string, []byte, error) {
		return "a.h", []byte("nop\nmov r1, t0\nmul r0, r1, r1\n"), nil
	}
	res, err := shaderlift.Explain(t.Context(), in, shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rep := shaderlift.NewReport(shaderlift.Options{})
	rep.Add(res)
	var b bytes.Buffer
	if err := htmlreport.Write(&b, rep); err != nil {
		t.Fatal(err)
	}
	for where, n := range map[string]int{`data-key="r0.0.3"`: 1, `data-key="r0.1.3"`: 2, `<td class="n">a.h:3</td>`: 2, "\u21a5": 0} {
		if got := strings.Count(b.String(), where); got != n {
			t.Errorf("%s stands there %d times, not %d", where, got, n)
		}
	}
}

// balanced checks that every element that has to be is closed in order.
func balanced(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// Names of files and programs are text, whatever they hold.
func TestWriteEscapes(t *testing.T) {
	rep := shaderlift.NewReport(shaderlift.Options{})
	rep.Add(&shaderlift.Result{Name: "<script>alert(1)</script>", Status: shaderlift.Failed, Error: "a & b <i>"})
	var b bytes.Buffer
	if err := htmlreport.Write(&b, rep); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script>alert") || strings.Contains(b.String(), "<i>") {
		t.Error("names are markup")
	}
	balanced(t, b.String())
}

func Example() {
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh", Data: []byte("ps_2_0\ndcl t0\nadd r0, t0, -t0\nmov oC0, r0\n")}}}
	res, err := shaderlift.Explain(context.Background(), in, shaderlift.Options{})
	if err != nil {
		log.Fatal(err)
	}
	rep := shaderlift.NewReport(shaderlift.Options{})
	rep.Add(res)
	var page strings.Builder
	if err := htmlreport.Write(&page, rep); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.HasPrefix(page.String(), "<!DOCTYPE html>"))
	// Output: true
}
