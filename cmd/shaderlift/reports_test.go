package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"weak"

	"github.com/shaderlift/shaderlift"
)

// TestReportIsNotHeld checks that the report keeps no written result in memory, and gets its name
// only at the end.
func TestReportIsNotHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	told, err := new(app).reports(shaderlift.Options{}, path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer told.staged.discard()
	var written []weak.Pointer[shaderlift.Result]
	for range 100 {
		res := &shaderlift.Result{Name: "p"}
		told.add(&outcome{res: res}, nil)
		written = append(written, weak.Make(res))
	}
	runtime.GC()
	for i, p := range written {
		if p.Value() != nil {
			t.Errorf("result %d is held", i)
		}
	}
	if isFile(path) {
		t.Error("the report is there before its end")
	}
	if err := told.finishReports(1); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || bytes.Count(data, []byte(`"name": "p"`)) != len(written) {
		t.Errorf("%v: %s", err, data)
	}
}

// TestReportIsDiscarded checks that a run that ends early keeps the old report, without temporary
// files.
func TestReportIsDiscarded(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	if err := writeFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	told, err := new(app).reports(shaderlift.Options{}, path, "")
	if err != nil {
		t.Fatal(err)
	}
	told.add(&outcome{res: new(shaderlift.Result)}, nil)
	told.staged.discard()
	if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
		t.Errorf("the old report is %q, %v", data, err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}
