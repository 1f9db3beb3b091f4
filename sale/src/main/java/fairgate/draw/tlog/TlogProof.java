package fairgate.draw.tlog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// A `.tlog-proof` file: a proof that a leaf is in the tree of a signed checkpoint.
///
/// @param extra data that the proof does not authenticate; empty if absent
/// @param index of the leaf
/// @param hashes the inclusion proof
/// @param checkpoint note with its signature lines
@SuppressWarnings("ArrayRecordComponent") // Proofs are not compared.
public record TlogProof(byte[] extra, long index, List<Hash> hashes, String checkpoint) {
  private static final String HEADER = "c2sp.org/tlog-proof@v1";
  private static final int MAX_LENGTH = 131_072;
  private static final int MAX_HASHES = 63;

  /// Parses a file. The checkpoint is only separated from the rest, not parsed.
  public static Optional<TlogProof> parse(byte[] bytes) {
    int gap = 0;
    while (gap + 1 < bytes.length && (bytes[gap] != '\n' || bytes[gap + 1] != '\n')) {
      gap++;
    }
    if (bytes.length > MAX_LENGTH || gap + 1 >= bytes.length) {
      return Optional.empty();
    }
    // A checkpoint of other bytes is a malformed note, not a malformed proof.
    String checkpoint =
        StrictText.utf8(Arrays.copyOfRange(bytes, gap + 2, bytes.length)).orElse("");
    return StrictText.utf8(Arrays.copyOf(bytes, gap)).flatMap(text -> parse(text, checkpoint));
  }

  private static Optional<TlogProof> parse(String text, String checkpoint) {
    List<String> lines = List.of(text.split("\n", -1));
    if (!lines.getFirst().equals(HEADER)) {
      return Optional.empty();
    }
    boolean hasExtra = lines.size() > 1 && lines.get(1).startsWith("extra ");
    Optional<byte[]> extra =
        hasExtra
            ? StrictText.base64(lines.get(1).substring("extra ".length()))
            : Optional.of(new byte[0]);
    int next = hasExtra ? 2 : 1;
    if (lines.size() <= next || !lines.get(next).startsWith("index ")) {
      return Optional.empty();
    }
    OptionalLong index = StrictText.number(lines.get(next).substring("index ".length()));
    Optional<List<Hash>> hashes = hashes(lines.subList(next + 1, lines.size()));
    if (extra.isEmpty() || index.isEmpty() || hashes.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new TlogProof(extra.get(), index.getAsLong(), hashes.get(), checkpoint));
  }

  /// Parses one hash per line; empty if there are more than 63, or if one is malformed.
  public static Optional<List<Hash>> hashes(List<String> lines) {
    if (lines.size() > MAX_HASHES) {
      return Optional.empty();
    }
    List<Hash> hashes = new ArrayList<>();
    for (String line : lines) {
      Optional<Hash> hash = Hash.ofBase64(line);
      if (hash.isEmpty()) {
        return Optional.empty();
      }
      hashes.add(hash.get());
    }
    return Optional.of(List.copyOf(hashes));
  }

  /// The checkpoint of the proof; empty if it is malformed.
  public Optional<Checkpoint.Signed> signedCheckpoint() {
    return Checkpoint.parse(StrictText.bytes(checkpoint));
  }

  public String text() {
    StringBuilder text = new StringBuilder(HEADER).append('\n');
    if (extra.length > 0) {
      text.append("extra ").append(Base64.getEncoder().encodeToString(extra)).append('\n');
    }
    text.append("index ").append(index).append('\n');
    hashes.forEach(hash -> text.append(hash.base64()).append('\n'));
    return text.append('\n').append(checkpoint).toString();
  }
}
