package onnx

import "github.com/carozero/carozero/internal/support/limitio"

// Options configures a session. The zero value is the fastest on cores.
type Options struct {
	Provider Provider // "": CPU

	// IntraThreads is the number of threads that share one Forward; 0: 1.
	// More than one only helps where fewer goroutines than cores compute.
	IntraThreads int

	// SHA256 is the required digest of the model in hexadecimal; "" accepts any. Only
	// this or the model's own property carozero.weights detects damaged weights;
	// without either a damaged model loads and computes nonsense.
	SHA256 string
}

// DigestSuffix is the ending of the file beside a model that holds its
// SHA-256, as sha256sum writes it. The trainer's export writes one.
const DigestSuffix = limitio.DigestSuffix
