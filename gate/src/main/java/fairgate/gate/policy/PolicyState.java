package fairgate.gate.policy;

import java.util.Locale;

/// The states of a version of the risk policy.
public enum PolicyState {
  /// Published, never used.
  DRAFT,
  /// In force for a share of the people, or only evaluated beside the active version.
  CANARY,
  ACTIVE,
  /// Used before. It can be used again.
  RETIRED;

  /// The name in the API.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
