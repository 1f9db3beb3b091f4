package fairgate.gate.challenge;

import java.util.Optional;

/// The challenges for the configuration.
public enum ChallengeKind {
  /// ChallengeResult of work, verified by this server.
  ALTCHA("altcha"),
  /// Cloudflare's widget.
  TURNSTILE("turnstile"),
  /// hCaptcha's widget.
  HCAPTCHA("hcaptcha"),
  /// A fixed token; never in production.
  TEST("test");

  private final String wireName;

  ChallengeKind(String wireName) {
    this.wireName = wireName;
  }

  /// The name in the configuration.
  public String wireName() {
    return wireName;
  }

  /// The kind with this name.
  public static Optional<ChallengeKind> named(String name) {
    for (ChallengeKind kind : values()) {
      if (kind.wireName.equals(name)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
