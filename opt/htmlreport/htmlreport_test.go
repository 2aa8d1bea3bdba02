package htmlreport_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
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
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/opt/htmlreport"
)

// mirrored are the default options of tests for Direct3D 9 programs.
var mirrored = shaderlift.Options{Target: "d3d9", Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored},
	Report: shaderlift.ReportOptions{History: true}}

// reported returns the page of inputs, each a list of files.
func reported(t *testing.T, inputs ...[]string) string { return reportedWith(t, mirrored, inputs...) }

// reportedWith works like reported, with the given options. Kernels get a default target.
func reportedWith(t *testing.T, o shaderlift.Options, inputs ...[]string) string {
	t.Helper()
	page := htmlreport.NewPage(shaderlift.NewReport(o))
	for _, paths := range inputs {
		o := o
		in := shaderlift.Input{}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in.Files = append(in.Files, shaderlift.File{Name: path, Data: data})
		}
		if in.Kind() == shaderlift.KindKernel && o.Target != "" {
			o = shaderlift.Options{Report: shaderlift.ReportOptions{History: true}}
		}
		res, err := shaderlift.Explain(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		draw, err := htmlreport.NewDraw(t.Context(), in, res, o)
		if err != nil {
			t.Fatal(err)
		}
		page.Add(res, draw)
	}
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var boxes = regexp.MustCompile(`<div class="packed">.*?<script type="text/plain">(.*?)</script></div>\n`)

// unpacked returns a page with its compressed parts expanded, as page.js does, and the number of
// them.
func unpacked(t *testing.T, page string) (string, int) {
	t.Helper()
	n := 0
	return boxes.ReplaceAllStringFunc(page, func(box string) string {
		n++
		r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(boxes.FindStringSubmatch(box)[1])))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}), n
}

var conv1d = []string{"../../testdata/conv1d/conv1d.vsh", "../../testdata/conv1d/conv1d.psh"}

func TestWrite(t *testing.T) {
	packed := reported(t, conv1d, []string{"../../testdata/il/pldi_v1.il"})
	balanced(t, packed)
	page, boxes := unpacked(t, packed)
	if boxes != 2 || len(packed)*3 > len(page) {
		t.Errorf("%d inputs are packed, which makes %d bytes of %d", boxes, len(packed), len(page))
	}
	for _, want := range []string{
		`<a href="#r0">conv1d</a></td><td>improved</td><td>proved-real</td><td>pixel slots</td><td class="n">16</td><td class="n">7</td>`,
		`<code>mov r1.y, c4.x</code>`,     // before
		`<tr class="draw gone" data-key=`, // and its outcome
		`<code>add r0.xy, c0, v1</code>`,  // after
		`[texture-read]`, `SAMPLE R1`, `aria-label="number of inputs by their savings"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	// Instructions from an input instruction have its key.
	key := regexp.MustCompile(`data-key="([^" ]+)[^"]*"><td class="rate"></td><td class="n">↥ 20<`).FindStringSubmatch(page)
	if key == nil || rows(page, key[1]) != 2 {
		t.Errorf("line 20 of the pixel program is not linked with what the vertex program has of it: %q", key)
	}
	// An instruction that does the work of two has the keys of both.
	merged := regexp.MustCompile(`<tr class="vertex merged" data-key="([^" ]+)"><td class="rate"></td><td class="n">22<`).FindStringSubmatch(page)
	if merged == nil || !regexp.MustCompile(`data-key="[^" ]+( [^" ]+)* `+regexp.QuoteMeta(merged[1])+
		`[" ][^<]*<td class="rate"></td><td class="n">↥ 14<`).MatchString(page) {
		t.Errorf("line 22 of the pixel program is not linked with the move that stands for it and line 14: %q", merged)
	}
	if len(page) > 2<<20 {
		t.Errorf("%d bytes", len(page))
	}
	balanced(t, page)
	if regexp.MustCompile(`(src|href)="(https?:)?//`).MatchString(page) {
		t.Error("the page needs the network")
	}
}

// TestDistinct checks that all names and anchors on the page of a batch are unique, even for
// similar inputs.
func TestDistinct(t *testing.T) {
	var inputs []shaderlift.Input
	for _, name := range []string{"one", "two"} {
		pixel := shaderlift.File{Name: "a.psh", Data: []byte("ps_2_0\ndcl t0\nmul r0, t0, t0\nadd r0, r0, r0\nmov oC0, r0\n")}
		inputs = append(inputs, shaderlift.Input{Name: name, Files: []shaderlift.File{pixel}})
		kernel, err := os.ReadFile("../../testdata/il/pldi_v1.il")
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, shaderlift.Input{Name: name + "/kernel",
			Files: []shaderlift.File{{Name: "k.il", Data: kernel}}})
		var effect fxtest.Builder
		vertex, err := os.ReadFile(conv1d[0])
		if err != nil {
			t.Fatal(err)
		}
		pixel.Data, err = os.ReadFile(conv1d[1])
		if err != nil {
			t.Fatal(err)
		}
		effect.Technique("T")
		effect.AddPass("P", fxtest.Shader{Data: fxtest.Assemble(string(vertex))},
			fxtest.Shader{Data: fxtest.Assemble(string(pixel.Data))})
		inputs = append(inputs, shaderlift.Input{Name: name + "/effect",
			Files: []shaderlift.File{{Name: "e.fxb", Data: effect.Build()}}})
	}
	page := htmlreport.NewPage(shaderlift.NewReport(shaderlift.Options{}))
	for _, in := range inputs {
		res, err := shaderlift.Explain(t.Context(), in,
			shaderlift.Options{Report: shaderlift.ReportOptions{History: true},
				Kernel: shaderlift.KernelOptions{Domain: [2]int{64, 64}}})
		if err != nil {
			t.Fatal(err)
		}
		page.Add(res, nil)
	}
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	text, _ := unpacked(t, b.String())
	n := map[string]int{}
	for _, match := range regexp.MustCompile(`<section [^>]*aria-label="[^"]*"|\sid="[^"]*"|<svg class="graph"[^>]*aria-label="[^"]*"`).FindAllString(text, -1) {
		if n[match]++; n[match] == 2 {
			t.Errorf("%s is there more than once", match)
		}
	}
	if len(n) < 4*len(inputs) {
		t.Errorf("%d places have names", len(n))
	}
}

// TestWriteIncluded checks that included instructions have their own keys, and show their file.
func TestWriteIncluded(t *testing.T) {
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh",
		Data: []byte("ps_2_0 dcl t0\n#include \"a.h\"\nmov oC0, r0\n")}}}
	in.Include = func(string, string) (string, []byte, error) {
		return "a.h", []byte("nop\nmov r1, t0\nmul r0, r1, r1\n"), nil
	}
	res, err := shaderlift.Explain(t.Context(), in, shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := htmlreport.NewPage(shaderlift.NewReport(shaderlift.Options{}))
	page.Add(res, nil)
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	for key, n := range map[string]int{"r0.0.3": 2, "r0.1.3": 2} {
		if got := rows(b.String(), key); got != n {
			t.Errorf("%d rows have the key %s, not %d", got, key, n)
		}
	}
	for where, n := range map[string]int{`<td class="n">a.h:3</td>`: 2, "\u21a5": 0} {
		if got := strings.Count(b.String(), where); got != n {
			t.Errorf("%s stands there %d times, not %d", where, got, n)
		}
	}
}

// rows returns the number of listing rows with a key.
func rows(page, key string) int {
	return len(regexp.MustCompile(`<tr [^>]*data-key="([^"]+ )?`+regexp.QuoteMeta(key)+`[ "]`).FindAllString(page, -1))
}

var scripts = regexp.MustCompile(`(?s)<script[^>]*>.*?</script>`)

// balanced checks that all elements are closed in order, if they need to be.
func balanced(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(scripts.ReplaceAllString(page, "")))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestWritePicture checks that a picture has every instruction of both sides, and a line from each
// of its origins.
func TestWritePicture(t *testing.T) {
	picture := func(target shaderlift.Target, files ...shaderlift.File) (string, error) {
		res, err := shaderlift.Explain(t.Context(), shaderlift.Input{Files: files}, shaderlift.Options{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		err = htmlreport.WritePicture(&b, res)
		return b.String(), err
	}
	vertex := shaderlift.File{Name: "a.vsh",
		Data: []byte("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\n")}
	pixel := shaderlift.File{Name: "a.psh",
		Data: []byte("ps_2_0\ndef c0, 0.5, 0, 0, 0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c0.x\ntexld r1, r0, s0\nadd r1, r1, r1\nmov r3, c0.x\nmul r3, r3, r1\nmov r2, r1\nmov oC0, r2\n")}
	pair, err := picture("d3d9", vertex, pixel)
	if err != nil {
		t.Fatal(err)
	}
	balanced(t, pair)
	for want, n := range map[string]int{`class="moved">add r0.xy, t0, c0.x<`: 1, `class="merged">mov r2, r1<`: 1,
		`class="gone">mul r3, r3, r1<`: 1, "<path d=": 1, ">rasterizer<": 1} {
		if got := strings.Count(pair, want); got != n {
			t.Errorf("%s stands there %d times, not %d:\n%s", want, got, n, pair)
		}
	}
	if lone, err := picture("d3d9", pixel); err != nil || strings.Contains(lone, "rasterizer") ||
		!strings.Contains(lone, `<path class="kept"`) {
		t.Errorf("a lone program: %v\n%s", err, lone)
	}
	if _, err := picture("", shaderlift.File{Name: "a.il", Data: []byte("il_ps_2_0\nend\n")}); !errors.Is(err,
		htmlreport.ErrNoPicture) {
		t.Errorf("a kernel: %v", err)
	}
}

// TestDraw checks that a page shows a draw before and after with the difference, also if the result
// is wrong.
func TestDraw(t *testing.T) {
	in := shaderlift.Input{Files: []shaderlift.File{
		{Name: "a.vsh", Data: []byte("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\n")},
		{Name: "a.psh", Data: []byte("ps_2_0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c0.x\ntexld r1, r0, s0\nmov oC0, r1\n")},
	}}
	o := shaderlift.Options{Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}, Target: "d3d9"}
	res, err := shaderlift.Explain(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := htmlreport.NewDraw(t.Context(), in, res, o)
	if err != nil || d == nil || d.Largest > 0.1 || len(res.Uploads) == 0 {
		t.Fatalf("%+v, %v, of %v", d, err, res.Uploads)
	}
	page := htmlreport.NewPage(shaderlift.NewReport(o))
	page.Add(res, d)
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	for want, n := range map[string]int{`<img src="data:image/png;base64,iVBOR`: 3, `>gcn <span class="why">`: 1, `>bifrost, a phone <`: 1,
		"Moved instructions": 1, ">rasterizer<": 1} {
		if got := strings.Count(b.String(), want); got != n {
			t.Errorf("%s stands there %d times, not %d", want, got, n)
		}
	}
	balanced(t, b.String())
	wrong := *res
	wrong.Files = []shaderlift.File{res.Files[0],
		{Name: "a.psh", Data: bytes.Replace(res.Files[1].Data, []byte("mov oC0, "), []byte("mov oC0, -"), 1)}}
	if d, err := htmlreport.NewDraw(t.Context(), in, &wrong, o); err != nil || d == nil || d.Largest < 0.1 {
		t.Errorf("what is wrong is not seen: %+v, %v", d, err)
	}
	wrong.Status = shaderlift.Unchanged
	if d, err := htmlreport.NewDraw(t.Context(), in, &wrong, o); d != nil || err != nil {
		t.Errorf("what did not change is drawn: %v", err)
	}
}

// TestWriteEscapes checks that names of files and programs are escaped.
func TestWriteEscapes(t *testing.T) {
	page := htmlreport.NewPage(shaderlift.NewReport(shaderlift.Options{}))
	page.Add(&shaderlift.Result{Name: `<script>alert("1")</script>`, Status: shaderlift.Failed, Error: "a & b <i>"}, nil)
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script>alert") || strings.Contains(b.String(), "<i>") ||
		strings.Contains(b.String(), `alert("`) {
		t.Error("names are markup")
	}
	balanced(t, b.String())
}

// TestNames checks that pages have neither folders of absolute paths nor the numbers of proof methods.
func TestNames(t *testing.T) {
	read := func(name, path string) shaderlift.File {
		data, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		return shaderlift.File{Name: name, Data: data}
	}
	const folder = "/home/An Author/src/"
	vertex, pixel := read(folder+"a.vsh", "examples/programs/blur.vsh"), read(folder+"a.psh", "examples/programs/blur.psh")
	var effect fxtest.Builder
	effect.Technique("T")
	effect.AddPass("P", fxtest.Shader{Data: fxtest.Assemble(string(vertex.Data))}, fxtest.Shader{Data: fxtest.Assemble(string(pixel.Data))})
	page := htmlreport.NewPage(shaderlift.NewReport(mirrored))
	for i, files := range [][]shaderlift.File{{vertex, pixel}, {{Name: folder + "a.fxb", Data: effect.Build()}},
		{read(`C:\Users\An Author\a.il`, "examples/programs/gamma.il")}, {{Name: folder + "b.psh", Data: []byte("ps_2_0\nmoo r0\n")}}} {
		o := mirrored
		if i == 2 {
			o.Target = ""
		}
		res, err := shaderlift.Explain(t.Context(), shaderlift.Input{Files: files}, o)
		if (err != nil) != (i == 3) {
			t.Fatal(err)
		}
		res.Remarks = append(res.Remarks, shaderlift.Remark{Message: "as at (/tmp/x/y/z.psh:3:1), or c0 / c1"})
		page.Add(res, nil)
	}
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	text, _ := unpacked(t, b.String())
	if found := regexp.MustCompile(`.*(Author|/tmp|home/|\bR[0-3]\b [^ ]).*`).FindString(text); found != "" {
		t.Error(found)
	}
	for _, want := range []string{"<h2>a.psh</h2>", "<h2>a.fxb:T/P.vs</h2>", "<h3>a.il for rv670, before</h3>", "<p>b.psh:2:1: ",
		"as at (z.psh:3:1), or c0 / c1", "The verdict is proved. The verifier compared interfaces, terms, executions."} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

func Example() {
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh",
		Data: []byte("ps_2_0\ndcl t0\nadd r0, t0, -t0\nmov oC0, r0\n")}}}
	res, err := shaderlift.Explain(context.Background(), in, shaderlift.Options{})
	if err != nil {
		log.Fatal(err)
	}
	page := htmlreport.NewPage(shaderlift.NewReport(shaderlift.Options{}))
	page.Add(res, nil)
	var b strings.Builder
	if err := page.Write(&b); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.HasPrefix(b.String(), "<!DOCTYPE html>"))
	// Output: true
}
