package fetch

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// errNoChromium is the error on a machine without a browser.
var errNoChromium = errors.New("no Chromium found: `make browser` fetches one into the user's cache, or install " +
	"it, on Debian with: apt-get install chromium")

// FindChromium returns the path of a Chromium that can be started: the system's, else the
// one that [Chromium] has put into the user's cache.
func FindChromium() (string, error) {
	if path := systemChromium(); path != "" {
		return path, nil
	}
	dir, err := chromiumFolder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, chromiumLauncher)
	if _, err := os.Stat(path); err != nil {
		return "", errNoChromium
	}
	return path, nil
}

// Chromium returns the path of a Chromium, as FindChromium does, and fetches one first if there is
// none: a headless one out of an npm package, which needs no root, brings the libraries that it
// loads, and is started like the system's, by one path. fetching is called before anything is
// fetched. Several processes may install at once.
func Chromium(ctx context.Context, fetching func(Package)) (string, error) {
	if path := systemChromium(); path != "" {
		return path, nil
	}
	return installChromium(ctx, fetching)
}

// Vulkan returns the folder of a graphics driver that computes on the processor, and of the
// library that loads it. It is part of the pinned Chromium, which it installs as Chromium does.
func Vulkan(ctx context.Context, fetching func(Package)) (string, error) {
	path, err := installChromium(ctx, fetching)
	return filepath.Join(filepath.Dir(path), "vulkan"), err
}

func installChromium(ctx context.Context, fetching func(Package)) (string, error) {
	dir, err := chromiumFolder()
	if err != nil {
		return "", err
	}
	result, err := Install(ctx, Options{Package: chromiumPackage(), Dir: dir,
		Registry: func(ctx context.Context) (string, error) {
			fetching(chromiumPackage())
			return Registry(ctx)
		}})
	return result.Path, err
}

// systemChromium returns the path of the system's Chromium, "" if it has none.
func systemChromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// chromiumFolder is where the pinned Chromium lies.
func chromiumFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("the user's cache folder is not known (%w): set HOME", err)
	}
	return filepath.Join(cache, "carozero", "chromium-"+chromiumPackage().Version), nil
}

// chromiumLauncher is the file that starts the browser.
const chromiumLauncher = "chromium"

//go:embed chromium.sh
var chromiumText string

//go:embed fonts.conf
var fontsText string

// chromiumPackage returns the package of the Chromium that is fetched. A new version means new sizes and
// digests here, taken from the unpacked package.
func chromiumPackage() Package {
	const bin = "package/bin/"
	library := func(name string, size int64, digest string) File {
		return File{
			Name: "lib/" + name, Member: bin + "al2023.tar.br", Inside: "lib/" + name, Size: size, SHA256: digest,
		}
	}
	font := func(name string, size int64, digest string) File {
		return File{
			Name: "fonts/" + name, Member: bin + "fonts.tar.br", Inside: "fonts/Open_Sans/" + name, Size: size, SHA256: digest,
		}
	}
	driver := func(name string, size int64, digest string) File {
		return File{
			Name: "vulkan/" + name, Member: bin + "swiftshader.tar.br", Inside: name, Size: size, SHA256: digest,
		}
	}
	return Package{
		Title:   "Chromium",
		Name:    "@sparticuz/chromium",
		Version: "147.0.2",
		Platforms: map[string][]File{"linux/amd64": {
			{Name: chromiumLauncher, Text: chromiumText},
			{Name: "fonts.conf", Text: fontsText},
			{Name: "headless", Member: bin + "chromium.br", Size: 196676728,
				SHA256: "bf7d8699042e0e1768ee136c19cf666371f74a39c8b6cfb246d15b3aa18c30ce"},
			library("libexpat.so.1", 202320, "a42c73fa261c746045922f7a1631bb31989eb70aeed4766f26e9173cf655dd84"),
			library("libfreebl3.chk", 84, "80a329bfb6616c408bb70a17710cd6a512100a6bb5f902abb6f5f988698e5a37"),
			library("libfreebl3.so", 16184, "1007112117baaee58ebf2f0b361bd1ed9e434d458117028ed01b17a6ca24d0e6"),
			library("libfreeblpriv3.chk", 84, "3c153b3932171c30c40d50d1d613f5a39b685289a750df25fb6989440001cb32"),
			library("libfreeblpriv3.so", 790704, "67bff729addafde4b3c904716fccca876fc5637e8c475caca00ad60a08cc2313"),
			library("libnspr4.so", 265888, "b7ddec11e9e21e4025c0b911b55e880afbb04d12a00f1f3736245ce85f62827f"),
			library("libnss3.so", 1287000, "1719436d5424fd9b2dece28435621198cca05d0ecc5539f443f090d411a460c0"),
			library("libnssutil3.so", 216896, "c2a72f8ebdf5629c7bde24db372bee5dcdd074a32cae3910ac4a2a85fd5485a4"),
			library("libplc4.so", 24680, "5ecfb0db51ce18c5ec6b187c3ccda03c467b2dfdaa939fe579f8a54531b9519f"),
			library("libplds4.so", 16424, "05eb3c4b52b5706a8c5535cc4fa39aaa9d26e02ecb9340b03d841bf038b73e21"),
			library("libsoftokn3.chk", 84, "dc9160cb612d48e4c3a3209341db43ff27c8c3110bac26344f0bb8fb182ad6d6"),
			library("libsoftokn3.so", 361648, "d410831e2062ef05e6d5efdc69e159ace89d2f41670e0a859ea294d6f06c82de"),
			driver("libvk_swiftshader.so", 6026040, "5b9e8591c7c2d1c9618c3ad485d0cdffb81f5f1ffd6a982fdb6578c2d8d3213e"),
			driver("libvulkan.so.1", 787592, "fe17a77c1f2df38d3b6a935140f746fd80aac564bb44eb3e4f6b75a504295a41"),
			driver("vk_swiftshader_icd.json", 107, "c9eef28b6b984fec220ef0abfecc40b502d46946706e47bfe97707027cb818bd"),
			font("OpenSans-Bold.ttf", 147264, "27da758f4dcac9a65abe914c13b463b42982b9909bc65713424099f4810bd1e6"),
			font("OpenSans-Italic.ttf", 153256, "93bc1bb6abf4e6b7c75d7131714061d5b57cc478abcabe4cb3519bb38fb917aa"),
			font("OpenSans-Regular.ttf", 147528, "c53aceea2dcf5b4098099c0c4d0a061d17e178a049317b42a422b1a9f7f8eb59"),
		}},
		Otherwise: "install Chromium yourself, on Debian with: apt-get install chromium",
	}
}
