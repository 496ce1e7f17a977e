package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Page has the files of the page, in the folder "page", and in "site" those that a page without a
// server needs beside them.
//
//go:embed page site
var Page embed.FS

// asset is a file of the page as it is served.
type asset struct {
	data, zipped []byte // zipped is nil where it does not pay
	kind, tag    string
}

// worthZipping is the share of its size that a file must lose.
const worthZipping = 0.9

// Types are the media types of the page's files by their extensions; those of the system may
// differ from machine to machine.
var Types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json", ".webmanifest": "application/manifest+json",
	".txt": "text/plain; charset=utf-8", ".ico": "image/x-icon",
}

// readAssets returns the files of the page by their paths; the page itself is "/", and
// "/assets/page.js" has all its modules in one.
func readAssets(files fs.FS) (map[string]asset, error) {
	assets := map[string]asset{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		route := "/assets/" + name
		if name == "index.html" {
			route = "/"
			data = bytes.Replace(data, []byte("assets/start.js"), []byte("assets/page.js"), 1)
		}
		assets[route] = newAsset(name, data)
		return nil
	})
	if err != nil {
		return nil, err
	}
	page, err := Bundle(files, "start.js")
	assets["/assets/page.js"] = newAsset("page.js", page)
	return assets, err
}

// Bundle returns a module and all that it imports as one script.
func Bundle(files fs.FS, name string) ([]byte, error) {
	var script bytes.Buffer
	err := bundle(&script, files, name, map[string]bool{})
	return script.Bytes(), err
}

// An import, an export, and a type before a name or a comment behind code, as the page's
// modules write them.
var (
	imports = regexp.MustCompile(`(?m)^import (\{.*\}) from "(\.{1,2}/.+)";$`)
	remarks = regexp.MustCompile("(?m)/\\*\\* @type .*?\\*/ ?| +// [^\"'\x60\n]*$")
	exports = regexp.MustCompile(`(?m)^export ((?:async )?(?:class|const|function) (\w+))`)
)

// bundle writes a module behind all that it imports, as one script: each module becomes a
// function that returns what the module exports. A browser fetches it in one request, where
// it would learn of each module from the one that imports it. No module imports one that
// imports it, and done has those that are written.
func bundle(out *bytes.Buffer, files fs.FS, name string, done map[string]bool) error {
	data, err := fs.ReadFile(files, name)
	if err != nil || done[name] {
		return err
	}
	done[name] = true
	file := func(from []byte) string { return path.Join(path.Dir(name), string(from)) }
	variable := func(name string) string { return "$" + strings.ReplaceAll(strings.TrimSuffix(name, ".js"), "/", "_") }
	for _, found := range imports.FindAllSubmatch(data, -1) {
		if err := bundle(out, files, file(found[2]), done); err != nil {
			return err
		}
	}
	var names []string
	for _, found := range exports.FindAllSubmatch(data, -1) {
		names = append(names, string(found[2]))
	}
	data = imports.ReplaceAllFunc(remarks.ReplaceAll(Lean(data), nil), func(line []byte) []byte {
		found := imports.FindSubmatch(line)
		return fmt.Appendf(nil, "const %s = %s;", found[1], variable(file(found[2])))
	})
	fmt.Fprintf(out, "const %s = (() => {\n%sreturn { %s };\n})();\n",
		variable(name), exports.ReplaceAll(data, []byte("$1")), strings.Join(names, ", "))
	return nil
}

// digest returns a digest of all files.
func digest(assets map[string]asset) string {
	sum := sha256.New()
	for _, route := range slices.Sorted(maps.Keys(assets)) {
		fmt.Fprintln(sum, route, assets[route].tag)
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// Lean returns a module or a style sheet as it is served: without the lines that are only
// comments, and without indentation. No text in them may span lines.
func Lean(data []byte) []byte {
	out := make([]byte, 0, len(data))
	within := false // a comment of several lines
	for line := range bytes.Lines(data) {
		text := bytes.TrimSpace(line)
		opens := !within && bytes.HasPrefix(text, []byte("/*"))
		closes := bytes.Contains(text, []byte("*/"))
		switch {
		case bytes.HasPrefix(text, []byte("//")), opens && bytes.HasSuffix(text, []byte("*/")) &&
			bytes.Count(text, []byte("*/")) == 1:
		case opens && !closes:
			within = true
		case within:
			within = !closes
		case len(text) > 0:
			out = append(append(out, text...), '\n')
		}
	}
	return out
}

// newAsset prepares a file.
func newAsset(name string, data []byte) asset {
	if ext := path.Ext(name); ext == ".js" || ext == ".css" {
		data = Lean(data)
	}
	sum := sha256.Sum256(data)
	a := asset{data: data, kind: Types[path.Ext(name)], tag: hex.EncodeToString(sum[:12])}
	var zipped bytes.Buffer
	w, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level is one that there is
	_, err := w.Write(data)
	if err == nil && w.Close() == nil && float64(zipped.Len()) < worthZipping*float64(len(data)) {
		a.zipped = zipped.Bytes()
	}
	return a
}

// ServeHTTP implements [http.Handler].
func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache")
	data, tag := a.data, `"`+a.tag+`"`
	if a.zipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			h.Set("Content-Encoding", "gzip")
			data, tag = a.zipped, `"`+a.tag+`-gz"`
		}
	}
	h.Set("ETag", tag)
	r.Header.Del("Range") // it is small: the whole of it, or nothing where the browser has it
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// acceptsGzip reports whether the browser takes gzip, as all of them say it.
func acceptsGzip(r *http.Request) bool {
	encodings := strings.Split(r.Header.Get("Accept-Encoding"), ",")
	return slices.ContainsFunc(encodings, func(one string) bool { return strings.TrimSpace(one) == "gzip" })
}
