package fairgate.redeem.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A folder for uploaded files during their import, readable by the server only.
final class UploadFolder {
  private static final Logger LOG = LoggerFactory.getLogger(UploadFolder.class);
  private static final String SUFFIX = ".import";
  private static final int NAME = 22;

  private final Path folder;

  /// A complete uploaded file.
  ///
  /// @param hash SHA-256 of its bytes
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Upload(Path file, byte[] hash) {
    /// Names the import of this file with these options: 132 bits of a hash.
    String importId(ImportOptions options) {
      MessageDigest digest = sha256();
      digest.update(hash);
      digest.update(options.fingerprint().getBytes(StandardCharsets.UTF_8));
      byte[] id = digest.digest();
      return Base64.getUrlEncoder().withoutPadding().encodeToString(id).substring(0, NAME);
    }
  }

  /// @param folder made when it is needed
  UploadFolder(Path folder) {
    this.folder = folder;
  }

  /// Writes a body to disk. On an exception the file is deleted.
  Upload take(InputStream body) throws IOException {
    Path made = Files.createDirectories(folder);
    Path file =
        Files.createTempFile(
            made,
            "",
            SUFFIX,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      MessageDigest digest = sha256();
      byte[] piece = new byte[64 * 1024];
      try (OutputStream out = Files.newOutputStream(file)) {
        for (int n = body.read(piece); n >= 0; n = body.read(piece)) {
          digest.update(piece, 0, n);
          out.write(piece, 0, n);
        }
      }
      return new Upload(file, digest.digest());
    } catch (IOException | RuntimeException e) {
      drop(file);
      throw e;
    }
  }

  /// Deletes a file that is not needed any more.
  static void drop(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("Could not delete an imported file; file={}", file, e);
    }
  }

  /// Deletes files that a crash left a day ago or earlier. Another process may be importing newer
  /// ones: a second node of this machine, or a server that is being replaced.
  void deleteLeftovers(Clock clock) {
    if (!Files.isDirectory(folder)) {
      return;
    }
    Instant dayAgo = clock.instant().minus(Duration.ofDays(1));
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
      for (Path file : files) {
        if (isOlder(file, dayAgo)) {
          drop(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// False for a file that another process has deleted.
  private static boolean isOlder(Path file, Instant time) throws IOException {
    try {
      return Files.getLastModifiedTime(file).toInstant().isBefore(time);
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }
}
