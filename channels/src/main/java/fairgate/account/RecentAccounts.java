package fairgate.account;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The accounts of the sessions seen lately, for counting requests. A session that has ended may be
/// known for a minute more, so this must never permit anything.
///
/// Only tokens that this server made are remembered, those of ended sessions too: neither a made-up
/// nor an ended token costs a read from Redis per request, and made-up ones take no memory.
final class RecentAccounts {
  private static final int MOST = 100_000;
  private static final Duration REMEMBERED = Duration.ofMinutes(1);
  private static final Future<Optional<String>> GUEST = Future.succeededFuture(Optional.empty());

  private final Function<Request, @Nullable String> tokenOf;
  private final Predicate<String> isOurs;
  private final Function<Request, Future<Optional<SignedIn>>> find;
  private final Cache<String, Future<Optional<String>>> byHash;

  /// @param tokenOf the token of a request
  /// @param isOurs whether this server made a token
  /// @param find looks up the account of a request
  RecentAccounts(
      Function<Request, @Nullable String> tokenOf,
      Predicate<String> isOurs,
      Function<Request, Future<Optional<SignedIn>>> find,
      Ticker ticker) {
    this.tokenOf = tokenOf;
    this.isOurs = isOurs;
    this.find = find;
    this.byHash =
        Caffeine.newBuilder().maximumSize(MOST).expireAfterWrite(REMEMBERED).ticker(ticker).build();
  }

  /// The id of the account of a request, or a minute ago; empty for a guest. Complete when it needs
  /// no lookup. Fails if the session cannot be checked; a failure is not remembered.
  Future<Optional<String>> of(Request request) {
    String token = tokenOf.apply(request);
    if (token == null || !isOurs.test(token)) {
      return GUEST;
    }
    String hash = SessionToken.hash(token);
    Future<Optional<String>> known = byHash.getIfPresent(hash);
    return known != null ? known : find.apply(request).map(found -> remember(hash, found));
  }

  private Optional<String> remember(String hash, Optional<SignedIn> found) {
    Optional<String> account = found.map(SignedIn::account);
    byHash.put(hash, Future.succeededFuture(account));
    return account;
  }
}
