//go:build !js

// Command board writes the board as a folder of static files, which any web server can serve below
// any path. Compiled for js/wasm (worker.go) it is the program that thinks there.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/web"
	"github.com/carozero/carozero/models"
)

// file is a file of the site, as its scripts know it.
type file struct {
	Path   string `json:"path"`
	Type   string `json:"type"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// site is a folder that is being written. Files are what the service worker keeps, by the
// paths that they are asked for by.
type site struct {
	dir   string
	files map[string]file
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("site: ")
	wasm := flag.String("wasm", "bin/board.wasm", "the program, compiled for js/wasm")
	support := flag.String("support", "", "Go's wasm_exec.js, in lib/wasm of GOROOT")
	out := flag.String("out", "site", "the folder, which is written anew")
	version := flag.String("version", "unknown", "what the page says of its version")
	flag.Parse()
	if err := write(*out, *wasm, *support, *version); err != nil {
		log.Fatal(err)
	}
}

// write writes the site beside a folder and then puts it in its place.
func write(dir, wasm, support, version string) error {
	program, err := os.ReadFile(wasm)
	if err != nil {
		return err
	}
	script, err := os.ReadFile(support)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // a link stays
	}
	if err := mayReplace(dir); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".site-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(fresh) }() // it is there if all was not written
	s := &site{dir: fresh, files: map[string]file{}}
	if err := s.all(program, script, version); err != nil {
		return err
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return err
	}
	sum := 0
	for _, f := range s.files {
		sum += f.Bytes
	}
	fmt.Printf("%s has %.1f MB: copy it to any web server; to look at it here: python3 -m http.server -d %[1]s\n",
		dir, float64(sum)/1e6)
	return nil
}

// mayReplace refuses what is there and holds anything but a site as it was written: its
// service worker has the digests of all other files.
func mayReplace(dir string) error {
	state, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !state.IsDir():
		return fmt.Errorf("%s is no folder: name another", dir)
	}
	listed, _ := os.ReadFile(filepath.Join(dir, "sw.js")) // without it nothing is listed
	alone := len(listed) > 0
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "sw.js" && filepath.Dir(path) == filepath.Clean(dir) {
			return err
		}
		sum, err := disk.SHA256(path)
		if err != nil || !bytes.Contains(listed, []byte(sum)) {
			return fmt.Errorf("%s is not of a site: name another folder", path)
		}
		alone = false
		return nil
	})
	if err == nil && alone {
		err = fmt.Errorf("%s is no site: name another folder", dir)
	}
	return err
}

// all writes all files.
func (s *site) all(program, support []byte, version string) error {
	if err := s.page(program, support, version); err != nil {
		return err
	}
	worker, err := s.script("site/sw.js", "files", s.files)
	if err != nil {
		return err
	}
	return s.write("sw.js", worker)
}

// page writes all but the service worker.
func (s *site) page(program, support []byte, version string) error {
	worker, err := web.Bundle(web.Page, "site/worker.js")
	if err != nil {
		return err
	}
	config, err := board.Offline(version)
	if err != nil {
		return err
	}
	about := struct {
		Config   board.Config    `json:"config"`
		Script   file            `json:"script"`
		WASM     file            `json:"wasm"`
		Networks map[string]file `json:"networks"`
	}{Config: config, Networks: map[string]file{}}
	if about.Script, err = s.packed("engine", append(append(support, '\n'), worker...)); err != nil {
		return err
	}
	if about.WASM, err = s.packed("board", program); err != nil {
		return err
	}
	for _, name := range config.Models {
		network, entry, err := models.Open(name)
		if err != nil {
			return err
		}
		if about.Networks[entry.File], err = s.packed(name, network); err != nil {
			return err
		}
	}
	for name, from := range map[string]string{
		"assets/icon.svg": "page/icon.svg", "assets/lessons.json": "page/lessons.json",
		"assets/icon-192.png": "site/icon-192.png", "assets/icon-512.png": "site/icon-512.png",
		"manifest.webmanifest": "site/manifest.webmanifest",
	} {
		data, err := fs.ReadFile(web.Page, from)
		if err != nil {
			return err
		}
		if _, err := s.add(name, data); err != nil {
			return err
		}
	}
	page, err := s.script("site/start.js", "site", about)
	if err != nil {
		return err
	}
	return s.index(page)
}

// policy is what the page may load, as the server says it in a header.
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; " +
	"img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'"

// index writes index.html with the page's script and its style sheet, whose names have their
// digests: a browser never puts together what is of two versions.
func (s *site) index(script []byte) error {
	html, err := fs.ReadFile(web.Page, "page/index.html")
	if err != nil {
		return err
	}
	style, err := fs.ReadFile(web.Page, "page/style.css")
	if err != nil {
		return err
	}
	name := func(name string, data []byte) (string, error) {
		sum := sha256.Sum256(data)
		ext := path.Ext(name)
		f, err := s.add("assets/"+strings.TrimSuffix(name, ext)+"-"+hex.EncodeToString(sum[:6])+ext, data)
		return fmt.Sprintf("%s\" integrity=\"sha256-%s", f.Path, base64.StdEncoding.EncodeToString(sum[:])), err
	}
	page, err := name("page.js", script)
	if err != nil {
		return err
	}
	sheet, err := name("style.css", web.Lean(style))
	if err != nil {
		return err
	}
	text := strings.NewReplacer(
		"assets/start.js", page, "assets/style.css", sheet,
		`<link rel="preload" href="api/config" as="fetch" crossorigin>`,
		`<meta http-equiv="Content-Security-Policy" content="`+policy+`">`+"\n"+
			`<link rel="manifest" href="manifest.webmanifest">`+"\n"+`<link rel="apple-touch-icon" href="assets/icon-192.png">`,
	).Replace(string(html))
	f, err := s.add("index.html", []byte(text))
	delete(s.files, f.Path)
	f.Path = "./" // by which some servers do not send it on
	s.files[""] = f
	return err
}

// script returns a module with all that it imports, ahead of them a global variable.
func (s *site) script(name, variable string, value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	script, err := web.Bundle(web.Page, name)
	return append(fmt.Appendf(nil, "globalThis.%s = %s;\n", variable, text), web.Lean(script)...), err
}

// packed adds a file by gzip, under a name by which no server unpacks or packs it: so as
// much goes over the network from any of them.
func (s *site) packed(name string, data []byte) (file, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return file{}, err
	}
	if _, err := w.Write(data); err != nil {
		return file{}, err
	}
	if err := w.Close(); err != nil {
		return file{}, err
	}
	sum := sha256.Sum256(out.Bytes())
	return s.add("assets/"+name+"-"+hex.EncodeToString(sum[:6])+".bin", out.Bytes())
}

// add writes a file that the service worker is to keep.
func (s *site) add(name string, data []byte) (file, error) {
	sum := sha256.Sum256(data)
	f := file{Path: name, Type: web.Types[path.Ext(name)], Bytes: len(data), SHA256: hex.EncodeToString(sum[:])}
	if f.Type == "" {
		f.Type = "application/octet-stream"
	}
	s.files[name] = f
	return f, s.write(name, data)
}

// write writes a file.
func (s *site) write(name string, data []byte) error {
	to := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}
