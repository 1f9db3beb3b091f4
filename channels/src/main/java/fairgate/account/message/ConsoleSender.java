package fairgate.account.message;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// For development: writes messages into a file that only its owner may read, never into the log.
/// `serve` refuses it.
final class ConsoleSender implements MessageSender {
  private static final Logger LOG = LoggerFactory.getLogger(ConsoleSender.class);
  private static final long MAX_FILE_BYTES = 64 * 1024;

  /// Two channels may share the file.
  private static final Object FILES = new Object();

  private final Path file;

  /// @param file created with the first message; emptied when it has become long
  ConsoleSender(Path file) {
    this.file = file;
  }

  @Override
  public Result send(OutgoingMessage message) {
    try {
      synchronized (FILES) {
        write(message.to() + " " + line(message) + "\n");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    LOG.info("A message was written to {}", file);
    return new Result.Sent();
  }

  private static String line(OutgoingMessage message) {
    return switch (message.content()) {
      case OutgoingMessage.Content.Code(_, String code) -> code;
      case OutgoingMessage.Content.Text(_, String text) -> text.replace('\n', ' ');
    };
  }

  private void write(String line) throws IOException {
    if (!Files.exists(file) || Files.size(file) > MAX_FILE_BYTES) {
      Files.deleteIfExists(file);
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    Files.writeString(file, line, StandardOpenOption.APPEND);
  }
}
