/// The release of the daemon and the command line, which are built together.
public let nearcastVersion = "0.1.0"
