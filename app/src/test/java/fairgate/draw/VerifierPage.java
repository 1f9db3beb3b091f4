package fairgate.draw;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The page that verifies draws, as a file.
final class VerifierPage {
  private VerifierPage() {}

  static Path in(Path folder) throws IOException {
    return Files.writeString(folder.resolve("verify.html"), DrawVerifierPage.html());
  }
}
