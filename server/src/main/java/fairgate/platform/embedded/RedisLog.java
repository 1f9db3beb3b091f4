package fairgate.platform.embedded;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;

/// Redis' append-only log, whose end a power cut may have left anywhere.
///
/// A script's writes stand in it as one block, `MULTI` to `EXEC`. Where the log ends within a
/// command of a block, Redis 7.0 cuts that command off when it starts and leaves the block open: it
/// does not run the half then, but appends behind it, and the next start runs the half together
/// with what came after. So the whole block is cut off here, before Redis sees it.
final class RedisLog {
  private static final String FOLDER = "appendonlydir";
  private static final String MANIFEST = "appendonly.aof.manifest";
  private static final int LONGEST_NAME = 16;
  private static final int LONGEST_NUMBER = 20;

  private final InputStream in;
  private long at;

  private RedisLog(InputStream in) {
    this.in = in;
  }

  /// Not what a log looks like; Redis says what it thinks of it.
  private static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /// Cuts off what is not whole at the end of the log of a Redis that does not run.
  ///
  /// @param data the folder Redis works in
  /// @return how many bytes; 0 as a rule, and where there is no log
  static long mend(Path data) throws IOException {
    Path log = last(data.resolve(FOLDER)).orElse(null);
    if (log == null) {
      return 0;
    }
    long size = Files.size(log);
    long whole;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(log), 1 << 16)) {
      whole = new RedisLog(in).whole();
    } catch (Malformed _) {
      return 0;
    }
    if (whole < size) {
      try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
        file.truncate(whole);
        file.force(true);
      }
    }
    return size - whole;
  }

  /// The file Redis appends to, the last of the manifest's.
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

  /// Where the last whole block, or command outside of one, ends.
  private long whole() throws IOException, Malformed {
    long whole = 0;
    boolean open = false;
    try {
      while (true) {
        int first = in.read();
        if (first < 0) {
          return whole;
        }
        at++;
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
      return whole;
    }
  }

  private void comment() throws IOException {
    while (next() != '\n') {
      // To the end of the line.
    }
  }

  /// Reads a command and gives its name.
  private String command(int first) throws IOException, Malformed {
    expect(first, '*');
    long words = number();
    String name = "";
    for (long i = 0; i < words; i++) {
      expect(next(), '$');
      long length = number();
      if (i == 0 && length <= LONGEST_NAME) {
        byte[] bytes = in.readNBytes((int) length);
        at += bytes.length;
        name = new String(bytes, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
      } else {
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
    int c = in.read();
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
