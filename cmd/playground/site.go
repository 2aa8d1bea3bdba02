package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/fx/fxtest"
)

//go:embed static
var static embed.FS

//go:embed presets
var programs embed.FS

// wasm is the package that the page runs.
const wasm = "github.com/shaderlift/shaderlift/cmd/playground/wasm"

// write makes the page in dir. It takes the go command, and a checkout for the current directory.
func write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	files, err := fs.Sub(static, "static")
	if err != nil {
		return err
	}
	root, err := output("list", "-m", "-f", "{{.Dir}}", "github.com/shaderlift/shaderlift")
	if err != nil {
		return err
	}
	list, err := presets(root)
	if err != nil {
		return err
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	all := map[string][]byte{"presets.json": text}
	err = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[path], err = fs.ReadFile(files, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	goroot, err := output("env", "GOROOT")
	if err != nil {
		return err
	}
	if all["wasm_exec.js"], err = os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js")); err != nil {
		return err
	}
	for name, data := range all {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	return build(filepath.Join(dir, "shaderlift.wasm"))
}

// build compiles the library for browsers.
func build(path string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, wasm)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// output is what the go command prints, in a line.
func output(args ...string) (string, error) {
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// preset is something to begin with.
type preset struct {
	Name    string            `json:"name"`
	Files   []shaderlift.File `json:"files"`
	Options map[string]any    `json:"options"`
}

// presets are the examples of a checkout, and those of this package.
func presets(root string) (list []preset, err error) {
	read := func(fsys fs.FS, path string) shaderlift.File {
		data, e := fs.ReadFile(fsys, path)
		if e != nil && err == nil {
			err = e
		}
		return shaderlift.File{Name: path[strings.LastIndexByte(path, '/')+1:], Data: data}
	}
	testdata := os.DirFS(filepath.Join(root, "testdata"))
	vertex, pixel := read(programs, "presets/blur.vsh"), read(programs, "presets/blur.psh")
	list = []preset{
		{"One-dimensional convolution (a pair, figure 3 of Ikeda, Ino and Hagihara)",
			[]shaderlift.File{read(testdata, "conv1d/conv1d.vsh"), read(testdata, "conv1d/conv1d.psh")}, nil},
		{"Blur of seven taps (a pair)", []shaderlift.File{vertex, pixel}, map[string]any{"HostConstants": "mirrored"}},
		{"The blur as an effect (fx_2_0)", []shaderlift.File{{Name: "blur.fxb"}}, nil},
		{"Matrix product of AMD's tutorial (a kernel)", []shaderlift.File{read(testdata, "il/pldi_v1.il")}, nil},
	}
	if err != nil {
		return nil, err
	}
	var b fxtest.Builder
	b.Technique("Blur")
	b.Pass("P0", fxtest.Shader{Data: fxtest.Assemble(string(vertex.Data))}, fxtest.Shader{Data: fxtest.Assemble(string(pixel.Data))})
	list[2].Files[0].Data = b.Build()
	return list, nil
}
