package fairgate.account;

import java.time.Instant;

/// One person's account.
///
/// @param id `acc_` and 22 characters; in Redis it is the `user_id` whose limits count
/// @param username as its owner wrote it
public record Account(String id, String username, Instant createdAt) {
  static final String PREFIX = "acc_";
}
