package fairgate.gate.challenge;

import java.util.Optional;

/// The challenges that can be configured.
public enum ChallengeKind {
  /// Proof of work, judged here.
  ALTCHA("altcha"),
  /// Cloudflare's.
  TURNSTILE("turnstile"),
  /// hCaptcha's.
  HCAPTCHA("hcaptcha"),
  /// One well-known token; never in production.
  TEST("test");

  private final String wireName;

  ChallengeKind(String wireName) {
    this.wireName = wireName;
  }

  /// The name in the configuration.
  public String wireName() {
    return wireName;
  }

  /// The kind of this name.
  public static Optional<ChallengeKind> named(String name) {
    for (ChallengeKind kind : values()) {
      if (kind.wireName.equals(name)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
