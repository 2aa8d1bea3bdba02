// Package xnb holds the content files of XNA (.xnb), as far as it takes to get at an
// effect in one and to put another in its place.
//
// [Decode] reads files that are plain, or compressed by LZX (XNA) or LZ4 (MonoGame).
// [Encode] writes plain ones, which every reader of content files takes: FNA, MonoGame and
// XNA. The names of readers, platform, version and profile stay as they were; a plain file
// that is as it was read is written byte for byte.
package xnb
