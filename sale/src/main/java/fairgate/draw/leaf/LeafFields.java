package fairgate.draw.leaf;

import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.StrictText;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// Reads the lines `name value` of a leaf in their fixed order. After the first deviation, all
/// values are blank and [#isComplete] is false.
final class LeafFields {
  private static final Hash NO_HASH = Hash.of(new byte[Hash.LENGTH]);

  private final List<String> lines;
  private int next = 1;
  private boolean isMalformed;

  /// @param lines the first one is the type, which the caller has checked
  LeafFields(List<String> lines) {
    this.lines = lines;
  }

  boolean has(String name) {
    return next < lines.size() && lines.get(next).startsWith(name + " ");
  }

  String text(String name, Pattern form) {
    String value = has(name) ? lines.get(next).substring(name.length() + 1) : "";
    if (!has(name) || !form.matcher(value).matches()) {
      isMalformed = true;
      return "";
    }
    next++;
    return value;
  }

  long number(String name) {
    return number(text(name, NUMBER), 0);
  }

  Hash hash(String name) {
    return hashOf(text(name, ANY));
  }

  /// `name <number> <hash>`: a tree head, or an entry of a tree.
  Merkle.Head numbered(String name) {
    String[] parts = text(name, TWO).split(" ", -1);
    return parts.length == 2
        ? new Merkle.Head(number(parts[0], 0), hashOf(parts[1]))
        : new Merkle.Head(0, NO_HASH);
  }

  /// `beacon <chain> <round>`.
  BeaconRound beacon() {
    String[] parts = text("beacon", BEACON).split(" ", -1);
    return parts.length == 2
        ? new BeaconRound(parts[0], number(parts[1], 1))
        : new BeaconRound("", 0);
  }

  /// Base64 of this many bytes.
  byte[] bytes(String name, int length) {
    byte[] bytes = StrictText.base64(text(name, ANY)).orElse(new byte[0]);
    isMalformed |= bytes.length != length;
    return bytes;
  }

  /// Whether all lines were read and well-formed.
  boolean isComplete() {
    return !isMalformed && next == lines.size();
  }

  void refuse() {
    isMalformed = true;
  }

  private Hash hashOf(String text) {
    return Hash.ofBase64(text)
        .orElseGet(
            () -> {
              isMalformed = true;
              return NO_HASH;
            });
  }

  private long number(String text, long least) {
    OptionalLong number = StrictText.number(text);
    isMalformed |= number.isEmpty() || number.getAsLong() < least;
    return number.orElse(0);
  }

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,16}");
  private static final Pattern ANY = Pattern.compile("[^ ]+");
  private static final Pattern TWO = Pattern.compile("[0-9]{1,16} [^ ]+");
  private static final Pattern BEACON = Pattern.compile("[0-9a-f]{64} [0-9]{1,16}");
  static final Pattern DRAW = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");
  static final Pattern LINE = Pattern.compile("[^ ]+");
  static final Pattern WITNESSES = Pattern.compile("[0-9]{1,2}( [^ ]+){1,32}");
  static final Pattern WORD = Pattern.compile("[a-z][a-z0-9_]{0,31}");
}
