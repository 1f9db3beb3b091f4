package fairgate.draw.verify;

import fairgate.draw.tlog.StrictText;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the files of a bundle: a ustar archive of regular files, each path once.
public final class TarFiles implements VerifyRequest.Files, Closeable {
  private static final int BLOCK = 512;
  private static final int CHECKSUM_AT = 148;
  private static final int CHECKSUM_LENGTH = 8;
  private static final String CHECKSUM = "%06o\u0000 ";
  private static final long MAX_FILE = 1 << 30;
  private static final Pattern PATH = Pattern.compile("(?!/)(?!.*(^|/)\\.{0,2}(/|$))[!-~]{1,200}");
  private static final Pattern OCTAL = Pattern.compile(" *([0-7]{1,12}) *");

  private record Place(long offset, int length) {}

  private final FileChannel channel;
  private final Map<String, Place> places = new HashMap<>();

  private TarFiles(FileChannel channel) {
    this.channel = channel;
  }

  /// Opens an archive and reads its directory; empty if it is malformed. Close it after use.
  public static Optional<TarFiles> open(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    TarFiles files = new TarFiles(channel);
    boolean isWellFormed = false;
    try {
      isWellFormed = files.readDirectory();
    } finally {
      if (!isWellFormed) {
        channel.close();
      }
    }
    return isWellFormed ? Optional.of(files) : Optional.empty();
  }

  private boolean readDirectory() throws IOException {
    long at = 0;
    while (at + BLOCK <= channel.size()) {
      byte[] header = bytes(at, BLOCK);
      if (isZero(header)) {
        return true;
      }
      Optional<Long> size = octal(header, 124, 12);
      if (size.isEmpty() || !hasChecksum(header)) {
        return false;
      }
      long start = at + BLOCK;
      if (size.get() > MAX_FILE || start + size.get() > channel.size()) {
        return false;
      }
      if (!addFile(header, new Place(start, size.get().intValue()))) {
        return false;
      }
      at = start + (size.get() + BLOCK - 1) / BLOCK * BLOCK;
    }
    return false;
  }

  private boolean addFile(byte[] header, Place place) {
    boolean isRegular = header[156] == '0' || header[156] == 0;
    boolean isUstar = text(header, 257, 6).startsWith("ustar");
    String prefix = text(header, 345, 155);
    String name = text(header, 0, 100);
    String path = prefix.isEmpty() ? name : prefix + '/' + name;
    return isRegular
        && isUstar
        && PATH.matcher(path).matches()
        && places.putIfAbsent(path, place) == null;
  }

  private static boolean isZero(byte[] header) {
    for (byte b : header) {
      if (b != 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasChecksum(byte[] header) {
    long sum = 0;
    for (int i = 0; i < BLOCK; i++) {
      boolean isField = i >= CHECKSUM_AT && i < CHECKSUM_AT + CHECKSUM_LENGTH;
      sum += isField ? ' ' : header[i] & 255;
    }
    byte[] expected = CHECKSUM.formatted(sum).getBytes(StandardCharsets.US_ASCII);
    int end = CHECKSUM_AT + CHECKSUM_LENGTH;
    return Arrays.equals(header, CHECKSUM_AT, end, expected, 0, expected.length);
  }

  private static Optional<Long> octal(byte[] header, int from, int length) {
    Matcher digits = OCTAL.matcher(text(header, from, length));
    return digits.matches() ? Optional.of(Long.parseLong(digits.group(1), 8)) : Optional.empty();
  }

  private static String text(byte[] header, int from, int length) {
    int end = from;
    while (end < from + length && header[end] != 0) {
      end++;
    }
    return StrictText.utf8(Arrays.copyOfRange(header, from, end)).orElse("\n");
  }

  private byte[] bytes(long offset, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, offset + buffer.position()) < 0) {
        throw new IOException("The file became shorter while it was read");
      }
    }
    return buffer.array();
  }

  @Override
  public Optional<byte[]> read(String path) {
    Place place = places.get(path);
    if (place == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(bytes(place.offset(), place.length()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /// The header and the padded content of a file in an archive.
  ///
  /// @param path at most 100 characters
  public static byte[] entry(String path, byte[] content) {
    byte[] header = header(path, content.length);
    byte[] entry = Arrays.copyOf(header, BLOCK + content.length + padding(content.length).length);
    System.arraycopy(content, 0, entry, BLOCK, content.length);
    return entry;
  }

  /// The header of a file in an archive. Its content and [#padding] follow.
  ///
  /// @param path at most 100 characters
  public static byte[] header(String path, long length) {
    if (path.length() > 100) {
      throw new IllegalArgumentException("the path is too long: " + path);
    }
    byte[] header = new byte[BLOCK];
    put(header, 0, path);
    put(header, 100, "0000644");
    put(header, 108, "0000000");
    put(header, 116, "0000000");
    put(header, 124, "%011o".formatted(length));
    put(header, 136, "00000000000");
    put(header, CHECKSUM_AT, "        ");
    put(header, 156, "0");
    put(header, 257, "ustar\u000000");
    long sum = 0;
    for (byte each : header) {
      sum += each & 255;
    }
    put(header, CHECKSUM_AT, CHECKSUM.formatted(sum));
    return header;
  }

  /// What follows a content of this length.
  public static byte[] padding(long length) {
    return new byte[(int) (-length & (BLOCK - 1))];
  }

  public static byte[] end() {
    return new byte[2 * BLOCK];
  }

  private static void put(byte[] entry, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, entry, at, bytes.length);
  }
}
