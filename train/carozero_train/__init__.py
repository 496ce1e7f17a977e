"""CaroZero's external trainer: reads sample shards, trains, writes ONNX."""
