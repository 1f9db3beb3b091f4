package fairgate.platform.embedded;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Redis' append-only log, which a power failure may have truncated anywhere.
///
/// The writes of a script are one block in it, from `MULTI` to `EXEC`. If the log ends within a
/// command of a block, Redis 7.0 removes that command at the start but leaves the block open: it
/// does not run the incomplete block, but appends new commands after it, and the next start runs
/// all of them together. This class therefore removes the whole block before Redis starts.
final class RedisLog {
  private static final Logger LOG = LoggerFactory.getLogger(RedisLog.class);
  private static final String FOLDER = "appendonlydir";
  private static final String MANIFEST = "appendonly.aof.manifest";
  private static final int LONGEST_NAME = 16;
  private static final int LONGEST_NUMBER = 20;

  private final InputStream in;
  private final long end;
  private long at;

  /// The end of the last complete block, or of the last complete command outside a block.
  private long whole;

  /// @param end the offset at which to stop reading
  private RedisLog(InputStream in, long end) {
    this.in = in;
    this.end = end;
  }

  /// The file is not a valid log.
  private static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /// Removes an incomplete end from the log of a stopped Redis. Also removes zeros at the end, as a
  /// power failure leaves them in a file that had grown, after copying the log to the data folder.
  ///
  /// @param data the working directory of Redis
  /// @return the number of removed bytes; usually 0, and 0 without a log
  /// @throws EngineFailed where the log is damaged in another way, with the place and what to do
  static long mend(Path data) throws IOException {
    Path log = last(data.resolve(FOLDER)).orElse(null);
    if (log == null) {
      return 0;
    }
    long size = Files.size(log);
    // A command ends with a line feed, so zeros at the end are not part of one.
    long written = withoutZeros(log, size);
    long whole;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(log), 1 << 16)) {
      RedisLog read = new RedisLog(in, written);
      if (!read.follow()) {
        throw new EngineFailed(damaged(log, read.whole, size));
      }
      whole = read.whole;
    }
    if (written < size) {
      Path copy = data.resolve("damaged-" + log.getFileName());
      Files.copy(log, copy, StandardCopyOption.REPLACE_EXISTING);
      LOG.warn("{} ends with {} zeros, which are cut off; a copy is {}", log, size - written, copy);
    }
    if (whole < size) {
      try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
        file.truncate(whole);
        file.force(true);
      }
    }
    return size - whole;
  }

  private static String damaged(Path log, long whole, long size) {
    return """
    Redis' log %1$s is damaged: from byte %2$d on it is no log (it has %3$d bytes). Copy the file first; then either
      truncate -s %2$d %1$s
    which loses what stands behind it in Redis; sales go on as the ledger in PostgreSQL knows them. Or, when the damage
    is far from the end, restore a backup of the whole data folder.\
    """
        .formatted(log, whole, size);
  }

  /// The length of the file without zeros at its end.
  private static long withoutZeros(Path log, long size) throws IOException {
    try (FileChannel file = FileChannel.open(log)) {
      ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
      long end = size;
      while (end > 0) {
        long from = Math.max(0, end - bytes.capacity());
        bytes.clear().limit((int) (end - from));
        while (bytes.hasRemaining() && file.read(bytes, from + bytes.position()) >= 0) {
          // Repeat until the buffer is full.
        }
        for (int i = bytes.position() - 1; i >= 0; i--) {
          if (bytes.get(i) != 0) {
            return from + i + 1;
          }
        }
        end = from;
      }
      return 0;
    }
  }

  /// The file to which Redis appends: the last one of the manifest.
  private static Optional<Path> last(Path folder) throws IOException {
    Path manifest = folder.resolve(MANIFEST);
    if (!Files.exists(manifest)) {
      return Optional.empty();
    }
    return Files.readAllLines(manifest, StandardCharsets.ISO_8859_1).stream()
        .filter(line -> line.endsWith(" type i"))
        .map(line -> line.split(" ", -1))
        .filter(words -> words.length > 1 && words[0].equals("file"))
        .reduce((_, later) -> later)
        .map(words -> folder.resolve(words[1]))
        .filter(Files::exists);
  }

  /// Reads to the end; false when the content is not a valid log.
  private boolean follow() throws IOException {
    boolean open = false;
    try {
      while (at < end) {
        int first = next();
        if (first == '#') {
          comment();
          continue;
        }
        String command = command(first);
        if (command.equals("MULTI")) {
          open = true;
        } else if (command.equals("EXEC")) {
          open = false;
        }
        whole = open ? whole : at;
      }
    } catch (EOFException _) {
      // The log ends within a command.
    } catch (Malformed _) {
      return false;
    }
    return true;
  }

  private void comment() throws IOException {
    while (next() != '\n') {
      // Skip to the end of the line.
    }
  }

  /// Reads a command and returns its name.
  private String command(int first) throws IOException, Malformed {
    expect(first, '*');
    long words = number();
    String name = "";
    for (long i = 0; i < words; i++) {
      expect(next(), '$');
      long length = number();
      if (i == 0 && length <= LONGEST_NAME) {
        byte[] bytes = in.readNBytes((int) Math.min(length, end - at));
        at += bytes.length;
        name = new String(bytes, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
      } else {
        if (length > end - at) {
          throw new EOFException();
        }
        in.skipNBytes(length);
        at += length;
      }
      expect(next(), '\r');
      expect(next(), '\n');
    }
    return name;
  }

  private long number() throws IOException, Malformed {
    long number = 0;
    for (int i = 0; i < LONGEST_NUMBER; i++) {
      int c = next();
      if (c == '\r') {
        expect(next(), '\n');
        return number;
      }
      if (c < '0' || c > '9') {
        throw new Malformed();
      }
      number = number * 10 + (c - '0');
    }
    throw new Malformed();
  }

  private int next() throws IOException {
    int c = at < end ? in.read() : -1;
    if (c < 0) {
      throw new EOFException();
    }
    at++;
    return c;
  }

  private static void expect(int found, char wanted) throws Malformed {
    if (found != wanted) {
      throw new Malformed();
    }
  }
}
