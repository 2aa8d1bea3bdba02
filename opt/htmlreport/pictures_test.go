package htmlreport_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
)

// folder matches the folder of an input of the pictures.
var folder = regexp.MustCompile(`(\.\./)+[a-z0-9/]+/`)

// TestPictures checks that the pictures of pages in docs exist and are small. With
// SHADERLIFT_PICTURES=1 it takes them again with Chromium. It does not compare them, because they
// depend on the browser's fonts.
func TestPictures(t *testing.T) {
	const most = 64 << 10
	kernel := [][]string{{"../../testdata/il/pldi_v1.il"}}
	program := func(name string) [][]string {
		return [][]string{{"../../examples/programs/" + name + ".vsh", "../../examples/programs/" + name + ".psh"}}
	}
	rows, err := shaderlift.ParseConstant("cb0[0].x=256")
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]struct {
		inputs [][]string
		kept   string // the parts of an input that stay on the page, as a CSS selector
		shown  image.Point
		with   shaderlift.Options // replaces mirrored
	}{
		// The pictures of docs/getting-started.md use the options of its commands.
		"start-blur.png": {inputs: program("blur"), kept: ":is(.draws, section)", shown: image.Pt(900, 1150)},
		"start-line.png": {inputs: program("blur"), kept: ".sides", shown: image.Pt(1100, 700),
			with: shaderlift.Options{Target: "d3d9"}},
		"start-fit.png": {inputs: program("toon"), kept: ".sides", shown: image.Pt(1100, 700),
			with: shaderlift.Options{Target: "d3d9", Fit: "ps_2_0"}},
		"start-kernel.png": {inputs: kernel, kept: ":is(table, figure, .key)", shown: image.Pt(900, 1180),
			with: shaderlift.Options{Pipeline: "unroll{factor=4},break-deps,group-fetches{window=all}",
				Host: shaderlift.HostOptions{Constants: []shaderlift.Constant{rows}}}},

		"report-pair.png":     {inputs: [][]string{conv1d}, kept: ":is(.draws, section)", shown: image.Pt(900, 1200)},
		"report-dataflow.png": {inputs: [][]string{conv1d}, kept: "details:last-of-type", shown: image.Pt(900, 960)},
		"report-kernel.png":   {inputs: kernel, kept: ":is(table, figure, .key)", shown: image.Pt(900, 1180)},
		"report-groups.png":   {inputs: kernel, kept: ":is(h3, section.wide)", shown: image.Pt(1200, 640)},
		"report-batch.png": {inputs: [][]string{conv1d,
			{"../../examples/programs/blur.vsh", "../../examples/programs/blur.psh"}, {"../../examples/programs/toon.vsh",
				"../../examples/programs/toon.psh"},
			{"../../examples/programs/basic_lit.vsh",
				"../../examples/programs/basic_fog.psh"}, {"../../testdata/il/pldi_v1.il"}, {"../../examples/programs/nbody.il"}}, shown: image.Pt(900, 760)},

		// The pictures of examples/walks use the options of its commands.
		"../examples/walks/game.png": {inputs: [][]string{{"../../examples/effects/game/Water.fxb"}, {"../../examples/effects/mod/Scaled.xnb"},
			{"../../examples/effects/mod/Wave.xnb"}, {"../../examples/effects/playground/basic.fxb"}, {"../../examples/effects/playground/blur.fxb"}},
			shown: image.Pt(900, 700), with: shaderlift.Options{Target: "d3d9"}},
		"../examples/walks/slow.png": {inputs: [][]string{{"../../examples/walks/lit.vsh", "../../examples/walks/lit.psh"}}, shown: image.Pt(900, 1180),
			with: shaderlift.Options{Target: "r420", Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}}},
	} {
		path := filepath.Join("..", "..", "docs", name)
		if os.Getenv("SHADERLIFT_PICTURES") != "" {
			with := page.with
			if with.Target == "" && with.Pipeline == "" {
				with = mirrored
			}
			html := reportedWith(t, with, page.inputs...)
			html = folder.ReplaceAllString(html, "")
			if page.kept != "" {
				html = strings.Replace(html, "</style>",
					"main > :not(details[id]), main > details > :not("+page.kept+") { display: none }</style>", 1)
				html = strings.ReplaceAll(html, `<details><summary>Dataflow`, `<details open><summary>Dataflow`)
			}
			shoot(t, html, path, image.Rectangle{Max: page.shown})
		}
		if info, err := os.Stat(path); err != nil || info.Size() > most {
			t.Errorf("%s is missing, or larger than %d bytes: %v", path, most, err)
		}
	}
}

// shoot renders a page with Chromium, and stores a part of the picture with few colours.
func shoot(t *testing.T, page, path string, shown image.Rectangle) {
	t.Helper()
	dir := t.TempDir()
	file, shot := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.png")
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--user-data-dir="+dir, fmt.Sprintf("--window-size=%d,%d", shown.Max.X, shown.Max.Y), "--screenshot="+
			shot, "file://"+file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(shot)
	if err != nil {
		t.Fatal(err)
	}
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, fewColours(full, shown, 48)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// fewColours returns a part of an image, reduced to at most n colours: the most frequent ones that
// differ clearly.
func fewColours(full image.Image, r image.Rectangle, n int) image.Image {
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	apart := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
	var few color.Palette
	for _, c := range all {
		if len(few) < n && !slices.ContainsFunc(few, func(o color.Color) bool {
			k := o.(color.RGBA)
			return apart(c.R, k.R)+apart(c.G, k.G)+apart(c.B, k.B) < 40
		}) {
			few = append(few, c)
		}
	}
	to := image.NewPaletted(image.Rect(0, 0, r.Dx(), r.Dy()), few)
	for y := range r.Dy() {
		for x := range r.Dx() {
			to.Set(x, y, full.At(r.Min.X+x, r.Min.Y+y))
		}
	}
	return to
}
