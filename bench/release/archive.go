package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"slices"
	"time"
)

// file is a member of an archive.
type file struct {
	name string
	data []byte
	mode os.FileMode
}

// suffix returns the suffix of an archive's name.
func suffix(zipped bool) string {
	if zipped {
		return ".zip"
	}
	return ".tar.gz"
}

// pack returns an archive with one folder. Its bytes depend only on the arguments.
func pack(folder string, files []file, made time.Time, zipped bool) ([]byte, error) {
	files = slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
	write := packTar
	if zipped {
		write = packZip
	}
	var b bytes.Buffer
	err := write(&b, folder, files, made)
	return b.Bytes(), err
}

func packTar(w io.Writer, folder string, files []file, made time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(packed)
	for _, f := range files {
		h := &tar.Header{Name: folder + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: made}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), packed.Close())
}

func packZip(w io.Writer, folder string, files []file, made time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: made}
		h.SetMode(f.mode)
		part, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}
