package fairgate.gate.policy;

import fairgate.gate.risk.CompiledBundle;
import fairgate.kernel.Hashes;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The compiled versions in use, as one immutable picture.
///
/// @param loaded every version of the pointer by its number, the previous one included, so that a
///   rollback compiles nothing
record PoliciesInForce(PolicyPointer pointer, Map<Long, Loaded> loaded) {
  /// Parts of a share: one is a hundredth of a percent.
  static final int PARTS = 10_000;

  PoliciesInForce {
    loaded = Map.copyOf(loaded);
  }

  /// A version, ready to judge.
  record Loaded(PolicyVersion version, CompiledBundle bundle) {}

  /// The active version. Throws IllegalStateException before the first one.
  Loaded active() {
    Loaded active = loaded.get(pointer.active());
    if (active == null) {
      throw new IllegalStateException("no policy is active");
    }
    return active;
  }

  @Nullable Loaded canary() {
    return loaded.get(pointer.canary());
  }

  /// The canary while nobody gets it.
  List<CompiledBundle> evaluated() {
    Loaded canary = canary();
    return canary == null || pointer.canaryShare() > 0 ? List.of() : List.of(canary.bundle());
  }

  /// Whether a subject belongs to the people who get the canary. The answer for a subject does not
  /// change while the share grows, except from no to yes.
  boolean isCanaryFor(String subject) {
    Loaded canary = canary();
    return canary != null && bucket(canary.version().salt(), subject) < pointer.canaryShare();
  }

  /// The place of a subject in the ramp of a version: 0 to 9,999, by SHA-256(salt || subject).
  static int bucket(String salt, String subject) {
    long start = ByteBuffer.wrap(Hashes.sha256(salt + subject)).getLong();
    return (int) Long.remainderUnsigned(start, PARTS);
  }
}
