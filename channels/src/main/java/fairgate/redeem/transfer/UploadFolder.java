package fairgate.redeem.transfer;

import fairgate.platform.text.CsvText;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A folder for uploaded files during their import. A file loses its name as soon as it is open:
/// nobody else can read it, several servers can use the folder, and a crash leaves nothing in it.
///
/// @param folder made when it is needed
record UploadFolder(Path folder) {
  private static final Logger LOG = LoggerFactory.getLogger(UploadFolder.class);
  private static final int NAME = 22;

  /// A complete uploaded file. The operating system frees its space when it is closed, or when the
  /// process ends.
  static final class Upload implements CsvText.Source, AutoCloseable {
    private final RandomAccessFile file;
    private final byte[] hash;

    /// @param hash SHA-256 of its bytes
    private Upload(RandomAccessFile file, byte[] hash) {
      this.file = file;
      this.hash = hash;
    }

    /// Names the import of this file with these options: 132 bits of a hash.
    String importId(ImportOptions options) {
      MessageDigest digest = sha256();
      digest.update(hash);
      digest.update(options.fingerprint().getBytes(StandardCharsets.UTF_8));
      byte[] id = digest.digest();
      return Base64.getUrlEncoder().withoutPadding().encodeToString(id).substring(0, NAME);
    }

    /// The file from its start. A stream ends the use of those that were opened before.
    @Override
    public InputStream open() throws IOException {
      file.seek(0);
      return new UploadStream(file);
    }

    @Override
    public void close() {
      try {
        file.close();
      } catch (IOException e) {
        LOG.warn("Could not close an imported file", e);
      }
    }
  }

  /// Reads a file that stays open.
  private static final class UploadStream extends InputStream {
    private final RandomAccessFile file;

    UploadStream(RandomAccessFile file) {
      this.file = file;
    }

    @Override
    public int read() throws IOException {
      return file.read();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      return file.read(into, offset, length);
    }
  }

  /// Writes a body to disk. On an exception the file is gone.
  Upload take(InputStream body) throws IOException {
    RandomAccessFile file = nameless();
    try {
      return new Upload(file, copy(body, file));
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private static byte[] copy(InputStream body, RandomAccessFile file) throws IOException {
    MessageDigest digest = sha256();
    byte[] piece = new byte[64 * 1024];
    for (int n = body.read(piece); n >= 0; n = body.read(piece)) {
      digest.update(piece, 0, n);
      file.write(piece, 0, n);
    }
    return digest.digest();
  }

  private RandomAccessFile nameless() throws IOException {
    Path file =
        Files.createTempFile(
            Files.createDirectories(folder),
            "",
            ".import",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      return new RandomAccessFile(file.toFile(), "rw");
    } finally {
      Files.delete(file);
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
