package fairgate.catalog;

import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Finds the user as whom a sale counts a person, by the `identity` of its policy: the account, or
/// a keyed hash of the account's verified telephone or identity number. All calls return at once
/// and fail when the account cannot be determined: a signed-in buyer must not get a guest's place.
public interface Buyers {
  /// Whether the sender of a request may join the sale, and as whom.
  ///
  /// @param invitation the code of an invitation link; empty for none
  Future<Check> check(Request request, ProductId product, String invitation);

  /// The user of a request's sender; empty for a guest, and for an account without the identity
  /// that the sale counts.
  Future<Optional<String>> userOf(Request request, ProductId product);

  Future<Optional<String>> userOf(String account, ProductId product);

  sealed interface Check {
    /// The sender may join.
    ///
    /// @param user null for a guest
    /// @param tier the number of the sender's tier, from 1; 0 = none
    record Passed(@Nullable String user, int tier) implements Check {}

    /// The sender may not join.
    record Failed(Refusal refusal) implements Check {}
  }
}
