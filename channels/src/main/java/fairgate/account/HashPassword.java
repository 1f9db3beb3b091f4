package fairgate.account;

import java.security.SecureRandom;
import java.util.Optional;

/// Hashes a password as the server would, for the command line.
public final class HashPassword {
  private HashPassword() {}

  /// The PHC string of a password, under the settings; empty when it has not 8 to 128 characters.
  public static Optional<String> of(String password, AccountConfig.Hashing settings) {
    String normalized = PasswordRules.normalized(password);
    if (!PasswordRules.isLongEnough(normalized)) {
      return Optional.empty();
    }
    try (PasswordHasher hasher = new PasswordHasher(settings, new SecureRandom())) {
      return Optional.of(hasher.hash(normalized).text());
    }
  }
}
