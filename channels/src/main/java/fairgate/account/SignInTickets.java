package fairgate.account;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Tickets for sign-ins that take two requests: signed cookies that bind the second request to the
/// browser of the first. The server stores nothing until a ticket is used, so strangers cannot fill
/// its memory by starting sign-ins.
public final class SignInTickets {
  private static final String PURPOSE = "sign-in-ticket";
  private static final String COOKIE = "fairgate_";
  private static final int MAX_LENGTH = 3_000;

  private final KeyRing keys;
  private final RedisClient redis;
  private final Ids ids;
  private final Clock clock;

  public SignInTickets(KeyRing keys, RedisClient redis, Ids ids, Clock clock) {
    this.keys = keys;
    this.redis = redis;
    this.ids = ids;
    this.clock = clock;
  }

  /// A ticket.
  ///
  /// @param kind the kind of sign-in; part of the cookie's name
  /// @param id 128 random bits, known to the browser
  /// @param keyId the key that signs the ticket and derives its secrets
  /// @param data values without line breaks; the browser can read them but not change them
  public record Ticket(String kind, String id, String keyId, Instant expiresAt, List<String> data) {
    public Ticket {
      data = List.copyOf(data);
    }

    /// The cookie's value before its signature.
    private String text() {
      return kind + '\n' + id + '\n' + expiresAt.getEpochSecond() + '\n' + String.join("\n", data);
    }
  }

  public Ticket make(String kind, Duration life, String... data) {
    return new Ticket(kind, ids.nonce(), keys.current(), clock.instant().plus(life), List.of(data));
  }

  /// The reply with the ticket's cookie. Replaces an earlier ticket of this kind in this browser.
  public Reply put(Reply reply, Ticket ticket) {
    String text = ticket.text();
    String value =
        encode(text.getBytes(StandardCharsets.UTF_8))
            + '.'
            + ticket.keyId()
            + '.'
            + encode(keys.sign(ticket.keyId(), PURPOSE, text));
    Duration left = Duration.between(clock.instant(), ticket.expiresAt());
    return reply.cookie(COOKIE + ticket.kind(), value, left);
  }

  public static Reply remove(Reply reply, String kind) {
    return reply.cookie(COOKIE + kind, "", Duration.ZERO);
  }

  /// The ticket of this kind in the request; empty without one, and when it has expired or was not
  /// signed by this server.
  public Optional<Ticket> find(Request request, String kind) {
    String value = request.cookie(COOKIE + kind);
    return value == null ? Optional.empty() : read(value, kind);
  }

  Optional<Ticket> read(String value, String kind) {
    String[] parts = value.split("\\.", -1);
    if (value.length() > MAX_LENGTH || parts.length != 3) {
      return Optional.empty();
    }
    byte[] bytes = decode(parts[0]);
    byte[] signature = decode(parts[2]);
    if (bytes == null || signature == null) {
      return Optional.empty();
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (!keys.verify(parts[1], PURPOSE, text, signature)) {
      return Optional.empty();
    }
    List<String> lines = List.of(text.split("\n", -1));
    Instant end = Instant.ofEpochSecond(Long.parseLong(lines.get(2)));
    return lines.getFirst().equals(kind) && end.isAfter(clock.instant())
        ? Optional.of(new Ticket(kind, lines.get(1), parts[1], end, lines.subList(3, lines.size())))
        : Optional.empty();
  }

  /// Uses the ticket up, on all nodes.
  ///
  /// @return whether this was its first use
  public Future<Boolean> use(Ticket ticket) {
    long left = Duration.between(clock.instant(), ticket.expiresAt()).toSeconds() + 1;
    return redis
        .send(
            "SET",
            AccountKeys.usedTicket(ticket.id()),
            "1",
            "NX",
            "EX",
            Long.toString(Math.max(1, left)))
        .map(reply -> !reply.isNil());
  }

  /// A secret of the ticket that the browser cannot compute, as 43 characters of base64url (256
  /// bits). The same at each call.
  public String secret(Ticket ticket, String purpose) {
    return encode(keys.sign(ticket.keyId(), PURPOSE + ':' + purpose, ticket.id()));
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte @Nullable [] decode(String text) {
    try {
      return Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException _) {
      return null;
    }
  }
}
