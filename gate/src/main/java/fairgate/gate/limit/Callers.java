package fairgate.gate.limit;

import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.Optional;

/// What the limits know of a caller besides its address. Called on the event loop; must not block.
public interface Callers {
  /// Everybody is a guest and counts by address.
  Callers GUESTS =
      new Callers() {
        @Override
        public boolean isAllowed(Request request) {
          return false;
        }

        @Override
        public boolean hasOperatorToken(Request request) {
          return false;
        }

        @Override
        public Future<Optional<String>> account(Request request) {
          return GUEST;
        }

        @Override
        public Optional<String> ticket(Request request) {
          return Optional.empty();
        }
      };

  /// Nobody is signed in.
  Future<Optional<String>> GUEST = Future.succeededFuture(Optional.empty());

  /// Whether the caller is on the allow-list. It then counts in no limit by address, network or
  /// provider, and in no number of running requests.
  boolean isAllowed(Request request);

  /// Whether a call of the admin API has the shared token of operators. It then counts in no number
  /// of running requests, so that operators can look while their calls hang.
  boolean hasOperatorToken(Request request);

  /// The id of the account by which a signed-in caller is counted; empty for a guest. May be a
  /// minute old, so it permits nothing. Already complete for a guest, for a made-up token and for a
  /// caller seen lately. Fails if it cannot be found out.
  Future<Optional<String>> account(Request request);

  /// The ticket by which a call of a waiting room is counted; empty for a call without one and for
  /// a made-up one. Called before the body is read, for every call of a flood, so it must be cheap.
  Optional<String> ticket(Request request);
}
