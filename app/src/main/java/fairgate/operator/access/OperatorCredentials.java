package fairgate.operator.access;

import fairgate.account.SecureCookie;
import fairgate.account.SessionToken;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.Role;
import fairgate.operator.access.PostgresOperatorSessions.NewSession;
import fairgate.platform.admin.Operator;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Sessions and tokens of operators, and the operator of a request. Methods block unless they say
/// otherwise.
///
/// Sessions and tokens are looked up in PostgreSQL for every request, so that a revoked one ends at
/// once on all nodes. Those that this server has not signed are refused without a lookup.
public final class OperatorCredentials {
  /// The beginning of every personal token.
  public static final String TOKEN_PREFIX = "fgo_";

  private static final SecureCookie COOKIE = new SecureCookie("fairgate_operator", "Strict");
  private static final String SCHEME = "Bearer ";
  private static final String SHARED_ACTOR = "operator@";
  private static final int MAX_AGENT_LENGTH = 200;
  private static final int MOST_TOKENS = 50;
  private static final Duration ENDED_TOKENS_KEPT = Duration.ofDays(90);

  private final AccessFeature.Config config;
  private final PostgresOperatorSessions store;
  private final SessionToken sessionTokens;
  private final SessionToken personalTokens;
  private final Ids ids;
  private final Clock clock;
  private final byte[] sharedHash;

  OperatorCredentials(
      AccessFeature.Config config,
      PostgresOperatorSessions store,
      KeyRing keys,
      Ids ids,
      Clock clock) {
    this.config = config;
    this.store = store;
    SecureRandom random = new SecureRandom();
    this.sessionTokens = new SessionToken(keys, "operator-session", random);
    this.personalTokens = new SessionToken(keys, "operator-token", random);
    this.ids = ids;
    this.clock = clock;
    this.sharedHash = hash(config.sharedToken());
  }

  /// A session of an operator.
  public record Session(
      String id,
      String operatorId,
      String agent,
      Instant createdAt,
      Instant seenAt,
      Instant expiresAt) {}

  /// A token with which a program of an operator calls the admin API.
  ///
  /// @param role what the token permits, at most the operator's own role
  /// @param usedAt the last use, to the minute; null for none
  /// @param revokedAt null for a token that was not revoked
  public record PersonalToken(
      String id,
      String operatorId,
      String name,
      Role role,
      Instant createdAt,
      Instant expiresAt,
      @Nullable Instant usedAt,
      @Nullable Instant revokedAt) {}

  /// A new personal token.
  ///
  /// @param secret shown once
  public record CreatedToken(PersonalToken token, String secret) {
    /// Without the secret.
    @Override
    public String toString() {
      return "CreatedToken[token=" + token + "]";
    }
  }

  /// A session to be opened, and its token, which only the browser gets.
  record FreshSession(NewSession session, String token) {}

  /// The operator of the request; empty when it carries no valid session or token. A request with
  /// an `Authorization` header is not judged by its cookie.
  Optional<Operator> find(Request request) {
    String token = bearer(request);
    if (token == null) {
      return bySession(request);
    }
    if (isShared(token)) {
      String name = SHARED_ACTOR + request.clientAddress();
      return Optional.of(
          new Operator(null, name, config.sharedRole(), Operator.Means.SHARED_TOKEN, null));
    }
    if (!token.startsWith(TOKEN_PREFIX)
        || !personalTokens.isOurs(token.substring(TOKEN_PREFIX.length()))) {
      return Optional.empty();
    }
    return store.byToken(SessionToken.hash(token), clock.instant());
  }

  /// The operator whose session the request's cookie names.
  public Optional<Operator> bySession(Request request) {
    String token = COOKIE.value(request);
    return token == null || !sessionTokens.isOurs(token)
        ? Optional.empty()
        : store.bySession(SessionToken.hash(token), clock.instant());
  }

  /// Whether the request has the shared token. Does not block.
  public boolean hasSharedToken(Request request) {
    String token = bearer(request);
    return token != null && isShared(token);
  }

  /// The hashes have the same length, so the time reveals nothing about the token.
  private boolean isShared(String token) {
    return MessageDigest.isEqual(sharedHash, hash(token)) && !config.sharedToken().isEmpty();
  }

  private static @Nullable String bearer(Request request) {
    String header = request.header("authorization");
    if (header == null) {
      return null;
    }
    return header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? header.substring(SCHEME.length()).strip()
        : "";
  }

  FreshSession fresh(String agent) {
    Instant now = clock.instant();
    String token = sessionTokens.make();
    String shortened = agent.substring(0, Math.min(agent.length(), MAX_AGENT_LENGTH));
    return new FreshSession(
        new NewSession(
            "os_" + ids.nonce(),
            SessionToken.hash(token),
            shortened,
            now,
            now.plus(config.absolute())),
        token);
  }

  /// The reply with the session's cookie. Does not block.
  public Reply signedIn(Reply reply, Request request, String token) {
    return COOKIE.put(reply, request, token, config.absolute());
  }

  /// The reply without the session's cookie. Does not block.
  public static Reply signedOut(Reply reply, Request request) {
    return COOKIE.put(reply, request, "", Duration.ZERO);
  }

  /// The live sessions of an operator, newest first.
  public List<Session> sessions(String operator) {
    return store.sessions(operator, clock.instant());
  }

  /// Ends a session of the operator; false when the operator has no such session.
  public boolean endSession(String operator, String session) {
    return store.endOwn(operator, session);
  }

  /// Ends all sessions of an operator.
  public void endSessions(String operator) {
    store.endAll(operator);
  }

  /// Creates a token; empty when the operator has too many live ones.
  public Optional<CreatedToken> createToken(
      String operator, String name, Role role, Instant expiresAt) {
    String secret = TOKEN_PREFIX + personalTokens.make();
    PersonalToken token =
        new PersonalToken(
            "ot_" + ids.nonce(), operator, name, role, clock.instant(), expiresAt, null, null);
    return store.addToken(token, SessionToken.hash(secret), ENDED_TOKENS_KEPT, MOST_TOKENS)
        ? Optional.of(new CreatedToken(token, secret))
        : Optional.empty();
  }

  /// The tokens of an operator, newest first. Ended ones stay for 90 days.
  public List<PersonalToken> tokens(String operator) {
    return store.tokens(operator);
  }

  /// The token with this id.
  public Optional<PersonalToken> token(String id) {
    return store.token(id);
  }

  /// Revokes a token at once on all nodes. A repeat changes nothing.
  public void revokeToken(String id) {
    store.revoke(id, clock.instant());
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This JVM has no SHA-256", e);
    }
  }
}
