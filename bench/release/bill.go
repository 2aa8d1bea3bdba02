package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift"
)

const project = "github.com/shaderlift/shaderlift"

// module is a part of the command: the project, another module, or Go's standard library.
type module struct {
	path, version string
	sum           []byte // SHA-256 of the module's tree in the form of go.sum (golang.org/ref/mod#go-sum-files)
	licence       string // SPDX identifier
	text          []byte // of the licence
}

// licences has the SPDX identifiers of the modules that the command uses.
var licences = map[string]string{
	project:                                "Apache-2.0",
	"std":                                  "BSD-3-Clause",
	"github.com/agext/levenshtein":         "Apache-2.0",
	"github.com/google/go-cmp":             "BSD-3-Clause",
	"github.com/google/jsonschema-go":      "MIT",
	"github.com/inconshreveable/mousetrap": "Apache-2.0",
	"github.com/rogpeppe/go-internal":      "BSD-3-Clause",
	"github.com/spf13/cobra":               "Apache-2.0",
	"github.com/spf13/pflag":               "BSD-3-Clause",
	"github.com/ulikunitz/xz":              "BSD-3-Clause",
	"golang.org/x/sys":                     "BSD-3-Clause",
	"golang.org/x/term":                    "BSD-3-Clause",
	"golang.org/x/tools":                   "BSD-3-Clause",
}

// modulesOf returns the modules that a program consists of, as the linker recorded them.
func modulesOf(program string) (list []module, err error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	goroot, err := output("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	list = []module{{path: project, version: shaderlift.Version}, {path: "std", version: info.GoVersion}}
	folders := []string{".", goroot}
	for _, d := range info.Deps {
		m := module{path: d.Path, version: d.Version}
		if m.sum, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(d.Sum, "h1:")); err != nil {
			return nil, fmt.Errorf("%s: checksum %q: %w", d.Path, d.Sum, err)
		}
		dir, err := output("go", "list", "-m", "-f", "{{.Dir}}", d.Path)
		if err != nil {
			return nil, err
		}
		list, folders = append(list, m), append(folders, dir)
	}
	for i := range list {
		m := &list[i]
		if m.licence = licences[m.path]; m.licence == "" {
			return nil, fmt.Errorf("the licence of %s is unknown: look it up and add it to bill.go", m.path)
		}
		if m.text, err = licenceIn(folders[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), err
}

// licenceIn returns the text of the licence in a folder.
func licenceIn(dir string) (text []byte, err error) {
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md"} {
		if text, err = os.ReadFile(filepath.Join(dir, name)); err == nil {
			return text, nil
		}
	}
	return nil, err
}

// licencesOf returns the file with the licences of all modules but the project, which the licences themselves ask for.
func licencesOf(list []module) (file, error) {
	var b bytes.Buffer
	for _, m := range list {
		if m.path != project {
			fmt.Fprintf(&b, "%s %s (%s)\n\n%s\n\n", m.path, m.version, m.licence, bytes.TrimSpace(m.text))
		}
	}
	return file{name: "THIRD-PARTY-LICENSES", data: b.Bytes(), mode: 0o644}, nil
}

// bill collects the materials of a release.
type bill struct {
	made     time.Time
	archives []spdxPackage
	modules  map[string]module
	within   map[string][]string // the paths of an archive's modules
}

// add adds an archive and the modules in it.
func (b *bill) add(name string, data []byte, list []module) {
	id := spdxID("archive", name)
	b.archives = append(b.archives, spdxPackage{
		ID: id, Name: project, Version: shaderlift.Version, FileName: name, Location: noAssertion,
		Declared: licences[project], Concluded: noAssertion, Copyright: noAssertion, Purpose: "APPLICATION",
		Checksums: []spdxChecksum{{"SHA256", fmt.Sprintf("%x", sha256.Sum256(data))}},
	})
	for _, m := range list {
		if m.path != project {
			b.modules[m.path] = m
			b.within[id] = append(b.within[id], m.path)
		}
	}
}

// The members of an SPDX 2.3 document that the bill needs: spdx.github.io/spdx-spec/v2.3.
type (
	spdxDocument struct {
		Version   string             `json:"spdxVersion"`
		Licence   string             `json:"dataLicense"`
		ID        string             `json:"SPDXID"`
		Name      string             `json:"name"`
		Namespace string             `json:"documentNamespace"`
		Creation  spdxCreation       `json:"creationInfo"`
		Packages  []spdxPackage      `json:"packages"`
		Relations []spdxRelationship `json:"relationships"`
	}
	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxPackage struct {
		ID        string         `json:"SPDXID"`
		Name      string         `json:"name"`
		Version   string         `json:"versionInfo"`
		FileName  string         `json:"packageFileName,omitempty"`
		Location  string         `json:"downloadLocation"`
		Analyzed  bool           `json:"filesAnalyzed"`
		Declared  string         `json:"licenseDeclared"`
		Concluded string         `json:"licenseConcluded"`
		Copyright string         `json:"copyrightText"`
		Purpose   string         `json:"primaryPackagePurpose,omitempty"`
		Comment   string         `json:"comment,omitempty"`
		Checksums []spdxChecksum `json:"checksums,omitempty"`
		Refs      []spdxRef      `json:"externalRefs,omitempty"`
	}
	spdxChecksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	spdxRef struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	spdxRelationship struct {
		From string `json:"spdxElementId"`
		To   string `json:"relatedSpdxElement"`
		Type string `json:"relationshipType"`
	}
)

const noAssertion = "NOASSERTION"

// spdxID returns an identifier: letters, digits, dots and hyphens.
func spdxID(kind, name string) string {
	return "SPDXRef-" + kind + "-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, name)
}

// spdx returns the bill as an SPDX 2.3 document. Its namespace depends on the archives alone.
func (b *bill) spdx() ([]byte, error) {
	name := "shaderlift-" + shaderlift.Version
	h := sha256.New()
	for _, a := range b.archives {
		fmt.Fprintln(h, a.FileName, a.Checksums[0].Value)
	}
	d := spdxDocument{
		Version: "SPDX-2.3", Licence: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name,
		Namespace: fmt.Sprintf("https://%s/spdx/%s-%x", project, name, h.Sum(nil)[:16]),
		Creation:  spdxCreation{b.made.Format(time.RFC3339), []string{"Tool: shaderlift-release-" + shaderlift.Version}},
		Packages:  b.archives,
	}
	byPath := func(a, b module) int { return cmp.Compare(a.path, b.path) }
	for _, m := range slices.SortedFunc(maps.Values(b.modules), byPath) {
		p := spdxPackage{
			ID: spdxID("module", m.path), Name: m.path, Version: m.version, Location: "https://" + m.path,
			Declared: m.licence, Concluded: noAssertion, Copyright: noAssertion,
			Refs: []spdxRef{{"PACKAGE-MANAGER", "purl", fmt.Sprintf("pkg:golang/%s@%s", m.path, m.version)}},
		}
		if m.path == "std" {
			p.Location = "https://go.dev/dl/"
		} else {
			p.Comment = fmt.Sprintf("go.sum has the SHA-256 %x of the module's tree", m.sum)
		}
		d.Packages = append(d.Packages, p)
	}
	for _, a := range b.archives {
		d.Relations = append(d.Relations, spdxRelationship{d.ID, a.ID, "DESCRIBES"})
		for _, path := range b.within[a.ID] {
			d.Relations = append(d.Relations, spdxRelationship{a.ID, spdxID("module", path), "DEPENDS_ON"})
		}
	}
	text, err := json.MarshalIndent(d, "", "  ")
	return append(text, '\n'), err
}
