package fairgate.account.identity;

import fairgate.platform.text.Language;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// For development: writes codes into a file that only its owner may read, never into the log, and
/// takes every name for the right one. `serve` refuses it.
final class ConsoleVerifier implements IdentityVerifier {
  private static final Logger LOG = LoggerFactory.getLogger(ConsoleVerifier.class);
  private static final long MAX_FILE_BYTES = 64 * 1024;

  private final Path file;

  /// @param file created with the first code; emptied when it has become long
  ConsoleVerifier(Path file) {
    this.file = file;
  }

  @Override
  public synchronized boolean sendCode(String phone, String code, Language language) {
    try {
      if (!Files.exists(file) || Files.size(file) > MAX_FILE_BYTES) {
        Files.deleteIfExists(file);
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      }
      Files.writeString(file, phone + " " + code + "\n", StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    LOG.info("A one-time code was written to {}", file);
    return true;
  }

  @Override
  public NameCheck checkName(String name, String idNumber) {
    return NameCheck.MATCHES;
  }
}
