// Package lzx decompresses LZX, the method of Microsoft's cabinets, in the form that XNA uses in
// content files. These have frames of 32768 bytes, each with its own compressed bytes, and a window
// of 64 KB that spans them.
//
// The format is that of the Microsoft Cabinet LZX specification ([MS-PATCH] section 2 describes its
// successor). Only the tests have an encoder.
package lzx
