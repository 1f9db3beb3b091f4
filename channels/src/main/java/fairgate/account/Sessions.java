package fairgate.account;

import fairgate.account.PostgresSessions.Live;
import fairgate.account.PostgresSessions.Named;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SignedIn;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// Sessions of accounts. PostgreSQL is authoritative; Redis caches them for an hour, so that a
/// crowd that joins a queue does not query PostgreSQL.
///
/// A revoked session is overwritten in Redis by a tombstone before it is deleted, and readers write
/// only if there is no value, so that a slow reader cannot restore it.
final class Sessions {
  private static final Duration REMEMBERED = Duration.ofHours(1);
  private static final String TOMBSTONE = "gone";
  private static final int MAX_AGENT_LENGTH = 200;

  /// The ledger shares PostgreSQL's connections; the rest come back.
  private static final int MAX_CONCURRENT_LOADS = 64;

  private final RedisClient redis;
  private final PostgresSessions sessions;
  private final SessionToken tokens;
  private final AccountConfig.SessionLife life;
  private final Clock clock;
  private final AtomicInteger loads = new AtomicInteger();

  Sessions(
      RedisClient redis,
      PostgresSessions sessions,
      SessionToken tokens,
      AccountConfig.SessionLife life,
      Clock clock) {
    this.redis = redis;
    this.sessions = sessions;
    this.tokens = tokens;
    this.life = life;
    this.clock = clock;
  }

  /// A new session, and its token, which is returned only here.
  record Opened(String token, Instant expiresAt) {}

  /// Opens a session. Blocks.
  ///
  /// @param id the session's new id
  Opened open(String account, String id, String agent) {
    Instant now = clock.instant();
    Instant end = now.plus(life.absolute());
    String token = tokens.make();
    String hash = SessionToken.hash(token);
    String shortened = agent.substring(0, Math.min(agent.length(), MAX_AGENT_LENGTH));
    AccountService.Session session = new AccountService.Session(id, shortened, now, now, end);
    List<String> dropped = sessions.add(account, session, hash, life.mostPerAccount()).await();
    dropped.forEach(old -> bury(old).await());
    // Not waited for: the first look finds it in PostgreSQL else.
    var _ = remember(hash, new Live(new SignedIn(account, id), end), now);
    return new Opened(token, end);
  }

  /// Whether this server made the token; its session may have ended. No I/O.
  boolean isOurs(String token) {
    return tokens.isOurs(token);
  }

  /// The account of a token; empty if the token is not ours, has expired or was revoked. Fails if
  /// it cannot be checked.
  Future<Optional<SignedIn>> find(String token) {
    if (!tokens.isOurs(token)) {
      return Future.succeededFuture(Optional.empty());
    }
    String hash = SessionToken.hash(token);
    return redis
        .send("GET", AccountKeys.session(hash))
        .map(reply -> reply.isNil() ? "" : reply.text())
        .otherwise("")
        .compose(known -> known.isEmpty() ? load(hash) : Future.succeededFuture(read(known)));
  }

  /// The living sessions of an account, the newest first.
  Future<List<AccountService.Session>> list(String account) {
    return sessions.list(account, clock.instant());
  }

  /// Ends one session at once, on every node. Blocks; a repeat finds nothing.
  ///
  /// @return whether the account had it
  boolean revoke(String account, String session) {
    return revoke(account, sessions.named(account).await(), session, false) > 0;
  }

  /// Ends every session of the account but this one. Blocks.
  ///
  /// @return how many were ended
  int revokeOthers(String account, String kept) {
    return revoke(account, sessions.named(account).await(), kept, true);
  }

  /// Ends every session of the account. Blocks.
  ///
  /// @return how many were ended
  int revokeAll(String account) {
    return revoke(account, sessions.named(account).await(), "", true);
  }

  /// Ends a session that was just opened, whether its account is still there or not. Blocks.
  void drop(String account, String session, String token) {
    bury(SessionToken.hash(token)).await();
    sessions.delete(account, session).await();
  }

  private int revoke(String account, List<Named> all, String session, boolean others) {
    int ended = 0;
    for (Named named : all) {
      if (named.id().equals(session) != others) {
        // First in Redis: if that fails the row still stands, and a repeat finds it.
        bury(named.tokenHash()).await();
        sessions.delete(account, named.id()).await();
        ended++;
      }
    }
    return ended;
  }

  private Future<Void> bury(String hash) {
    return redis
        .send("SET", AccountKeys.session(hash), TOMBSTONE, "EX", seconds(REMEMBERED))
        .mapEmpty();
  }

  private Future<Optional<SignedIn>> load(String hash) {
    if (loads.incrementAndGet() > MAX_CONCURRENT_LOADS) {
      loads.decrementAndGet();
      return Future.failedFuture(
          new ServiceUnavailable("too many sessions to look up", Duration.ofSeconds(1)));
    }
    Instant now = clock.instant();
    return sessions
        .see(hash, now)
        .onComplete(_ -> loads.decrementAndGet())
        .map(
            found -> {
              if (found.isPresent()) {
                // Not waited for: it spares the next look, not this one.
                var _ = remember(hash, found.get(), now);
              }
              return found.map(Live::who);
            });
  }

  /// The future never fails.
  private Future<Boolean> remember(String hash, Live live, Instant now) {
    Duration left = Duration.between(now, live.expiresAt());
    Duration kept = left.compareTo(REMEMBERED) < 0 ? left : REMEMBERED;
    String value = live.who().account() + '|' + live.who().session();
    return redis
        .send("SET", AccountKeys.session(hash), value, "NX", "EX", seconds(kept))
        .map(_ -> true)
        .otherwise(false);
  }

  private static Optional<SignedIn> read(String value) {
    int bar = value.indexOf('|');
    return bar < 0
        ? Optional.empty()
        : Optional.of(new SignedIn(value.substring(0, bar), value.substring(bar + 1)));
  }

  private static String seconds(Duration duration) {
    return Long.toString(Math.max(1, duration.toSeconds()));
  }
}
