package fairgate.draw.tlog;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// A tree head as a C2SP checkpoint: the text of a note, without extension lines.
public record Checkpoint(String origin, Merkle.Head head) {
  public record Signed(Checkpoint checkpoint, SignedNote note) {}

  /// Parses a signed checkpoint. Signatures are not verified.
  public static Optional<Signed> parse(byte[] bytes) {
    return SignedNote.parse(bytes).flatMap(Checkpoint::of);
  }

  static Optional<Signed> of(SignedNote note) {
    List<String> lines = StrictText.lines(note.text()).orElse(List.of());
    if (lines.size() != 3 || lines.get(0).isEmpty()) {
      return Optional.empty();
    }
    OptionalLong size = StrictText.number(lines.get(1));
    Optional<Hash> root = Hash.ofBase64(lines.get(2));
    if (size.isEmpty() || root.isEmpty()) {
      return Optional.empty();
    }
    Merkle.Head head = new Merkle.Head(size.getAsLong(), root.get());
    return Optional.of(new Signed(new Checkpoint(lines.get(0), head), note));
  }

  /// The text to sign.
  public String text() {
    return origin + "\n" + head.size() + "\n" + head.root().base64() + "\n";
  }

  /// The checkpoint with the signature of its log, and without cosignatures. The name of the key is
  /// the origin.
  public String signed(SignerKey log) {
    return text() + "\n" + log.sign(text());
  }
}
