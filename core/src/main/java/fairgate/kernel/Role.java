package fairgate.kernel;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// What an operator may do. Each route of the admin API names its roles.
public enum Role implements Word {
  /// Checks tickets in at an entrance, and nothing else.
  CHECKIN,
  /// Reads sales, without personal data.
  VIEWER,
  /// Serves buyers: orders, refunds, appeals, bans, seats.
  SUPPORT,
  /// Runs sales: products, stock, pause and resume, rooms, links, invitations, codes.
  SELLER,
  /// Everything.
  OWNER;

  /// Whether this role permits everything that the other one permits.
  public boolean includes(Role other) {
    return this == other || this == OWNER || (other == VIEWER && this != CHECKIN);
  }

  public static Optional<Role> named(String word) {
    return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
  }

  /// The words of all roles.
  public static List<String> words() {
    return Arrays.stream(values()).map(Role::word).toList();
  }
}
