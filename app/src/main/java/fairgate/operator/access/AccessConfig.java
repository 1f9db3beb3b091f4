package fairgate.operator.access;

import java.time.Duration;

/// The settings of operators.
///
/// @param sharedToken bearer token for scripts; empty for none
/// @param sharedRole what the shared token permits
/// @param idle after which an unused session ends
/// @param absolute after which every session ends
public record AccessConfig(String sharedToken, Role sharedRole, Duration idle, Duration absolute) {
  /// Without the token.
  @Override
  public String toString() {
    return "AccessConfig[sharedRole=" + sharedRole + ", idle=" + idle + "]";
  }
}
