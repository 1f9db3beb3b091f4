package fairgate.draw.verify;

import java.util.Optional;

/// The public files of a draw, by their path in a bundle.
public interface DrawFiles {
  /// The content of a file; empty if it does not exist. Throws UncheckedIOException if it cannot be
  /// read.
  Optional<byte[]> read(String path);

  /// The content of a required file.
  default byte[] need(String path) {
    return read(path).orElseThrow(() -> new FailedCheck(VerdictCode.MISSING_FILE, path));
  }
}
