package fairgate.operator.access;

import fairgate.kernel.Role;
import java.time.Duration;
import java.util.Map;

/// The settings of operators.
///
/// @param sharedToken bearer token for scripts; empty for none
/// @param sharedRole what the shared token permits
/// @param idle after which an unused session ends
/// @param absolute after which every session ends
/// @param domains the roles of new operators by the domain of their e-mail address, in lower case;
///   `owner` is not among them
public record AccessConfig(
    String sharedToken,
    Role sharedRole,
    Duration idle,
    Duration absolute,
    Map<String, Role> domains) {
  public AccessConfig {
    domains = Map.copyOf(domains);
  }

  /// Without the token.
  @Override
  public String toString() {
    return "AccessConfig[sharedRole=" + sharedRole + ", idle=" + idle + "]";
  }
}
