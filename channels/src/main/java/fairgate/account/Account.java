package fairgate.account;

import java.time.Instant;

/// An account.
///
/// @param id `acc_` and 22 characters; the `user_id` in Redis by which limits count
/// @param username in its owner's spelling
public record Account(String id, String username, Instant createdAt) {
  static final String PREFIX = "acc_";
}
