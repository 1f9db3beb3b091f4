package fairgate.draw.leaf;

import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.StrictText;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// An entry of a draw as everybody sees it: commitments, no personal data.
///
/// @param who commitment to the person, see [#who]
/// @param key hash of the browser's key or of its secret
/// @param classes the kinds of evidence that the entrant gave; may be empty
/// @param uniq a tag that is equal for two entries of one person
/// @param qty units wanted
/// @param tier 0 is served first
public record EntryLeaf(
    String draw,
    Hash who,
    Hash key,
    List<String> classes,
    Optional<Uniq> uniq,
    long qty,
    int tier) {
  public static final Set<String> CLASSES =
      Set.of("acct", "eid", "paid", "passkey", "pat", "phone", "prior");

  private static final String TYPE = "fairgate-entry/1";
  private static final String NO_CLASS = "none";
  private static final int MAX_TIER = 1000;
  private static final byte[] WHO = StrictText.bytes("fairgate-who/1\n");
  private static final Pattern CLASS_LIST = Pattern.compile("[a-z]+(,[a-z]+)*");

  /// A tag of 16 bytes.
  public record Uniq(String base64) {
    public static final int LENGTH = 16;

    public static Uniq of(byte[] bytes) {
      if (bytes.length != LENGTH) {
        throw new IllegalArgumentException("a tag has 16 bytes");
      }
      return new Uniq(Base64.getEncoder().encodeToString(bytes));
    }
  }

  /// The commitment to a person. Only those who know the salt can connect both.
  public static Hash who(byte[] salt, byte[] person) {
    return Hash.ofParts(WHO, Hash.ofParts(salt).bytes(), person);
  }

  /// Parses the data of a leaf; empty if it is malformed.
  public static Optional<EntryLeaf> parse(byte[] data) {
    List<String> lines = StrictText.utf8(data).flatMap(StrictText::lines).orElse(List.of());
    if (lines.isEmpty() || !lines.getFirst().equals(TYPE)) {
      return Optional.empty();
    }
    LeafFields in = new LeafFields(lines);
    String draw = in.text("draw", LeafFields.DRAW);
    Hash who = in.hash("who");
    Hash key = in.hash("key");
    List<String> classes = classes(in);
    Optional<Uniq> uniq = uniq(in);
    long qty = in.has("qty") ? in.number("qty") : 1;
    long tier = in.has("tier") ? in.number("tier") : 0;
    if (!in.isComplete() || qty < 1 || tier > MAX_TIER) {
      return Optional.empty();
    }
    EntryLeaf entry = new EntryLeaf(draw, who, key, classes, uniq, qty, (int) tier);
    // `qty 1` and `tier 0` are not written.
    return Arrays.equals(entry.data(), data) ? Optional.of(entry) : Optional.empty();
  }

  private static Optional<Uniq> uniq(LeafFields in) {
    if (!in.has("uniq")) {
      return Optional.empty();
    }
    byte[] tag = in.bytes("uniq", Uniq.LENGTH);
    return tag.length == Uniq.LENGTH ? Optional.of(Uniq.of(tag)) : Optional.empty();
  }

  private static List<String> classes(LeafFields in) {
    String text = in.text("class", CLASS_LIST);
    if (text.equals(NO_CLASS)) {
      return List.of();
    }
    List<String> names = List.of(text.split(",", -1));
    if (!CLASSES.containsAll(names) || !List.copyOf(new TreeSet<>(names)).equals(names)) {
      in.refuse();
    }
    return names;
  }

  public byte[] data() {
    StringBuilder text = new StringBuilder(TYPE).append("\ndraw ").append(draw);
    text.append("\nwho ").append(who.base64()).append("\nkey ").append(key.base64());
    text.append("\nclass ").append(classes.isEmpty() ? NO_CLASS : String.join(",", classes));
    uniq.ifPresent(tag -> text.append("\nuniq ").append(tag.base64()));
    if (qty > 1) {
      text.append("\nqty ").append(qty);
    }
    if (tier > 0) {
      text.append("\ntier ").append(tier);
    }
    return StrictText.bytes(text.append('\n').toString());
  }
}
