// Replaced by the embedded object.
