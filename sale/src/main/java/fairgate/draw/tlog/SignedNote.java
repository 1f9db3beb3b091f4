package fairgate.draw.tlog;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/// A C2SP signed note: a text and its signature lines. Signatures are not verified by parsing.
public final class SignedNote {
  private static final int MAX_LENGTH = 65_536;
  private static final int MAX_SIGNATURES = 64;
  private static final int ID_LENGTH = 4;
  private static final String DASH = "— ";

  /// @param signature what follows the key id
  @SuppressWarnings("ArrayRecordComponent") // Lines are not compared.
  private record Line(String name, byte[] id, byte[] signature) {}

  private final String text;
  private final List<Line> lines;

  private SignedNote(String text, List<Line> lines) {
    this.text = text;
    this.lines = lines;
  }

  /// Parses a note of UTF-8 without control characters besides line feeds.
  public static Optional<SignedNote> parse(byte[] bytes) {
    return bytes.length > MAX_LENGTH
        ? Optional.empty()
        : StrictText.utf8(bytes).flatMap(SignedNote::parse);
  }

  static Optional<SignedNote> parse(String note) {
    int gap = note.lastIndexOf("\n\n");
    if (gap < 0 || note.chars().anyMatch(SignedNote::isControl)) {
      return Optional.empty();
    }
    Optional<List<String>> below = StrictText.lines(note.substring(gap + 2));
    if (below.isEmpty() || below.get().size() > MAX_SIGNATURES) {
      return Optional.empty();
    }
    List<Line> lines = new ArrayList<>();
    for (String each : below.get()) {
      Optional<Line> line = line(each);
      if (line.isEmpty()) {
        return Optional.empty();
      }
      lines.add(line.get());
    }
    return Optional.of(new SignedNote(note.substring(0, gap + 1), List.copyOf(lines)));
  }

  private static boolean isControl(int c) {
    return (c < ' ' && c != '\n') || c == 0x7f;
  }

  private static Optional<Line> line(String line) {
    String[] parts =
        line.startsWith(DASH) ? line.substring(DASH.length()).split(" ", -1) : new String[0];
    if (parts.length != 2 || !VerifierKey.isName(parts[0])) {
      return Optional.empty();
    }
    return StrictText.base64(parts[1])
        .filter(bytes -> bytes.length > ID_LENGTH)
        .map(
            bytes ->
                new Line(
                    parts[0],
                    Arrays.copyOf(bytes, ID_LENGTH),
                    Arrays.copyOfRange(bytes, ID_LENGTH, bytes.length)));
  }

  /// The text that is signed, with its last line feed.
  public String text() {
    return text;
  }

  /// The names of all keys with a signature line, in order. They are not verified.
  public List<String> keyNames() {
    return lines.stream().map(Line::name).toList();
  }

  /// Whether the log has signed. Every line with the name and id of the key must verify.
  public boolean isSignedBy(VerifierKey log) {
    List<Line> own = linesOf(log);
    byte[] message = StrictText.bytes(text);
    return !own.isEmpty() && own.stream().allMatch(line -> log.verifies(message, line.signature()));
  }

  /// The times of a witness's cosignatures, in seconds since 1970. They are not verified: see
  /// [#isForgedFor].
  public LongStream cosignedAt(VerifierKey witness) {
    return linesOf(witness).stream().mapToLong(SignedNote::time);
  }

  /// Whether a line with the name and id of the witness does not verify.
  public boolean isForgedFor(VerifierKey witness) {
    return linesOf(witness).stream().anyMatch(line -> !isCosignature(witness, line));
  }

  private boolean isCosignature(VerifierKey witness, Line line) {
    if (line.signature().length <= Long.BYTES || time(line) < 0) {
      return false;
    }
    byte[] signature = Arrays.copyOfRange(line.signature(), Long.BYTES, line.signature().length);
    return witness.verifies(cosigned(text, time(line)), signature);
  }

  private List<Line> linesOf(VerifierKey key) {
    return lines.stream().filter(line -> key.isOf(line.name(), line.id())).toList();
  }

  private static long time(Line line) {
    return line.signature().length < Long.BYTES ? -1 : ByteBuffer.wrap(line.signature()).getLong();
  }

  static byte[] cosigned(String text, long seconds) {
    return StrictText.bytes("cosignature/v1\ntime " + seconds + "\n" + text);
  }
}
