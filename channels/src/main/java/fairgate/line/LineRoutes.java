package fairgate.line;

import static fairgate.platform.http.RouteLimits.PAGE;
import static fairgate.platform.http.RouteLimits.WEBHOOK;

import fairgate.kernel.ErrorCode;
import fairgate.line.Inbox.OwnedEvent;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonSyntaxException;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// `POST /line/webhook` and the join links.
///
/// @param next receives the new events; must not block
record LineRoutes(
    LineSignature signature,
    Inbox inbox,
    JoinTokens tokens,
    LineMeters meters,
    Consumer<List<OwnedEvent>> next) {
  /// LINE publishes no limit; a webhook of a hundred texts of maximum length fits.
  private static final int BODY_LIMIT = 2 * 1024 * 1024;

  private static final Reply TAKEN = Reply.json(200, "{\"success\":true}");

  List<Route> routes() {
    return List.of(
        Route.post("/line/webhook", this::webhook).limits(WEBHOOK).withBodyLimit(BODY_LIMIT),
        Route.get("/line/join/{token}", this::join).limits(PAGE));
  }

  /// Acknowledges the webhook as soon as the events are stored. They are processed afterwards.
  private Future<Reply> webhook(Request request) {
    long start = System.nanoTime();
    if (!signature.verifies(request.header(LineSignature.HEADER), request.body())) {
      meters.badSignatures().increment();
      return Future.succeededFuture(Reply.refuse(Refusal.of(ErrorCode.UNAUTHORIZED)));
    }
    EventReader.Events events = read(request.body());
    meters.ignored().increment(events.ignored());
    if (events.events().isEmpty()) {
      acknowledged(start);
      return Future.succeededFuture(TAKEN);
    }
    return inbox
        .accept(events.events())
        .map(
            owned -> {
              next.accept(owned);
              acknowledged(start);
              return TAKEN;
            });
  }

  /// Stores the token in a cookie and redirects to the sale. An expired or altered link redirects
  /// to the shop.
  private Future<Reply> join(Request request) {
    String token = request.pathParam("token");
    return Future.succeededFuture(
        tokens
            .read(token)
            .map(
                link ->
                    Reply.redirect(303, "/p/" + link.product().value())
                        .cookie(Bindings.COOKIE, token, JoinTokens.LIFE))
            .orElseGet(() -> Reply.redirect(303, "/"))
            .header("cache-control", "no-store")
            .header("referrer-policy", "no-referrer"));
  }

  private void acknowledged(long start) {
    meters.ack().record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
  }

  private static EventReader.Events read(byte[] body) {
    try {
      return EventReader.read(body);
    } catch (JsonSyntaxException e) {
      throw new InvalidRequest("", e.problem().key());
    }
  }

  /// Verifies the signature of LINE's webhooks: Base64 of HMAC-SHA256 over the raw body. A
  /// signature by any configured secret is valid, so that a secret can be replaced without losing
  /// an event. Without a secret no signature is valid.
  static final class LineSignature {
    static final String HEADER = "x-line-signature";

    private static final String ALGORITHM = "HmacSHA256";

    /// Base64 of 32 bytes.
    private static final int LENGTH = 44;

    /// Initialised prototypes; each use clones one.
    private final List<Mac> secrets;

    LineSignature(List<String> secrets) {
      this.secrets = secrets.stream().map(LineSignature::prepared).toList();
    }

    /// Whether the header is a valid signature of the body. A malformed header is invalid.
    boolean verifies(@Nullable String header, byte[] body) {
      if (header == null || header.length() != LENGTH) {
        return false;
      }
      byte[] given;
      try {
        given = Base64.getDecoder().decode(header);
      } catch (IllegalArgumentException noBase64) {
        return false;
      }
      boolean found = false;
      for (Mac secret : secrets) {
        // No early exit, so the time does not reveal which secret matched.
        found |= MessageDigest.isEqual(macOf(secret, body), given);
      }
      return found;
    }

    private static byte[] macOf(Mac secret, byte[] body) {
      try {
        return ((Mac) secret.clone()).doFinal(body);
      } catch (CloneNotSupportedException e) {
        throw new IllegalStateException("This JVM cannot clone an HMAC-SHA256", e);
      }
    }

    private static Mac prepared(String secret) {
      try {
        Mac mac = Mac.getInstance(ALGORITHM);
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
        return mac;
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("This JVM has no HMAC-SHA256", e);
      }
    }
  }
}
