package wine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/bench/internal/clients"
)

// TestWineEffects loads effects before and after optimization through Wine's D3DX. An application must see the
// same in both, and every pass must draw the same with the same parameters. SHADERLIFT_WINE enables the test
// for generated effects and effects of the corpus: a sample, all if the value is "all", otherwise those with
// the value in their names.
func TestWineEffects(t *testing.T) {
	scope := asked(t)
	var names []string
	var before [][]byte
	for _, e := range clients.Synthetic() {
		names, before = append(names, e.Name), append(before, e.Data)
	}
	made := len(before)
	paths, _ := filepath.Glob(filepath.Join(corpus, "effects", "*.efb"))
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if scope == "all" || scope == "1" && i%8 == 0 && len(data) < 100<<10 ||
			scope != "1" && strings.Contains(filepath.Base(path), scope) {
			names, before = append(names, filepath.Base(path)), append(before, data)
		}
	}
	var after [][]byte
	for i, data := range before {
		res, err := shaderlift.Optimize(t.Context(),
			shaderlift.Input{Files: []shaderlift.File{{Name: names[i],
				Data: data}}}, shaderlift.Options{Target: shaderlift.SlotTarget})
		if err != nil || i < made && res.Status != shaderlift.Improved {
			t.Fatalf("%s is %s (%v)", names[i], res.Status, err)
		}
		for _, g := range res.Groups {
			for _, p := range g.Pairs {
				if i < made && p.PixelSlots.After >= p.PixelSlots.Before {
					t.Errorf("%s: %+v is no better", names[i], p)
				}
			}
		}
		after = append(after, res.Files[0].Data)
	}

	r := start(t, 3)
	seen, err := r.Effects(slices.Concat(before, after)...)
	if err != nil {
		t.Fatal(err)
	}
	var all clients.Seen
	for i, name := range names {
		d := clients.Compare(seen[i], seen[len(names)+i])
		for _, what := range d.Wrong {
			t.Errorf("%s: %s", name, what)
		}
		if d.Draws == 0 {
			t.Errorf("%s: nothing is drawn", name)
		}
		t.Logf("%s: %d draws, at most %.2g apart", name, d.Draws, d.Worst)
		decoded, err := fx.Decode(name, before[i])
		if err != nil {
			t.Fatal(err)
		}
		all.Count(clients.Looked(nil, seen[i], decoded))
	}
	t.Logf("%d effects: %v", len(names), all)
	for i := range made {
		if pictures := clients.Pictures(seen[i]); len(pictures) == 0 ||
			slices.ContainsFunc(pictures, clients.Blank) || len(slices.Compact(pictures)) < 2 {
			t.Errorf("%s: the draws do not depend on parameters, or show nothing", names[i])
		}
	}
}
