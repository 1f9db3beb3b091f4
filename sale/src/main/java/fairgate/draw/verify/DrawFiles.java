package fairgate.draw.verify;

import fairgate.draw.tlog.StrictText;
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

  /// The content of a required file of UTF-8.
  default String needText(String path, VerdictCode otherwise) {
    return StrictText.utf8(need(path)).orElseThrow(() -> new FailedCheck(otherwise, path));
  }
}
