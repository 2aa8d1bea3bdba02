package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// Image is a raw view whose memory the host binds to a resource too, as a buffer of Width numbers an element.
// Width is 1 or 4. The kernel fetches from the resource in place of the view. It writes that memory through no view.
type Image struct{ View, Resource, Width uint8 }

// maxImages is the number of views of a kernel that can be images.
const maxImages = 4

// Images are the images of a kernel, in order. Unused ones have width 0.
type Images [maxImages]Image

// List lists the images.
func (l Images) List() (list []Image) {
	for _, i := range l {
		if i.Width > 0 {
			list = append(list, i)
		}
	}
	return list
}

// With returns l with another image. ok is false if there is no room, or if the view or the resource is in l.
func (l Images) With(image Image) (more Images, ok bool) {
	for n, i := range l {
		switch {
		case i.Width == 0:
			l[n] = image
			return l, true
		case i.View == image.View || i.Resource == image.Resource:
			return l, false
		}
	}
	return l, false
}

// parse adds an image, written as in 0:1:4, with its view, its resource and its width.
func (l *Images) parse(text string) error {
	var n [3]int
	parts := strings.Split(text, ":")
	ok := len(parts) == len(n)
	for i := range n {
		if ok {
			var err error
			n[i], err = strconv.Atoi(parts[i])
			ok = err == nil && n[i] >= 0 && n[i] < 256
		}
	}
	if ok = ok && (n[2] == 1 || n[2] == 4); ok {
		*l, ok = l.With(Image{uint8(n[0]), uint8(n[1]), uint8(n[2])})
	}
	if !ok {
		return fmt.Errorf("%q must have the form 0:1:4: a view, a free resource, and 1 or 4 numbers per element; "+
			"up to %d views", text, maxImages)
	}
	return nil
}
