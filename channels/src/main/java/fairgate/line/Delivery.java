package fairgate.line;

import fairgate.line.Inbox.OwnedEvent;
import fairgate.line.Inbox.Progress;
import fairgate.line.Inbox.Step;
import fairgate.line.api.LineClient;
import fairgate.line.api.LineClient.SendOutcome;
import fairgate.line.api.LineMessage;
import fairgate.line.api.QuotaGuard;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the answer to an event through LINE, at most once.
///
/// The first choice is the event's reply token, which costs nothing. LINE accepts a token once, so
/// a retry with the same token cannot send twice, and while the token is young its refusal means
/// that the first attempt was delivered. An answer is pushed when the token is too old, or when
/// LINE refused it although nothing had been sent with it. The push has a retry key derived from
/// the event, and LINE accepts one push per key. When a reply may have been delivered and its token
/// is too old for a retry, nothing more is sent: no answer is better than two.
final class Delivery {
  private static final Logger LOG = LoggerFactory.getLogger(Delivery.class);

  /// LINE promises one minute from the event. The rest is time for the request itself.
  private static final Duration TOKEN_LIFE = Duration.ofSeconds(50);

  private static final Duration[] PAUSES = {
    Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(2)
  };

  private final Inbox inbox;
  private final LineClient client;
  private final QuotaGuard quota;
  private final LineMeters meters;
  private final Clock clock;
  private final Pause pause;
  private volatile boolean stopped;

  enum Result {
    REPLIED,
    PUSHED,
    /// The event needs no answer.
    SILENT,
    /// A reply was sent, LINE did not respond, and the token is too old for a retry.
    UNKNOWN,
    /// LINE refuses the answer for good.
    REFUSED,
    /// The monthly push quota is exhausted.
    QUOTA,
    /// The event is too old for an answer.
    STALE,
    /// Another node has taken the event over, or will do so.
    HANDED_ON
  }

  /// Blocks the calling virtual thread.
  @FunctionalInterface
  interface Pause {
    void of(Duration time) throws InterruptedException;
  }

  /// A blocking operation that settles an event or hands it on.
  @FunctionalInterface
  interface Sending {
    Result send() throws InterruptedException;
  }

  Delivery(
      Inbox inbox,
      LineClient client,
      QuotaGuard quota,
      LineMeters meters,
      Clock clock,
      Pause pause) {
    this.inbox = inbox;
    this.client = client;
    this.quota = quota;
    this.meters = meters;
    this.clock = clock;
    this.pause = pause;
  }

  /// Stops sending. Events in flight are left to another node.
  void stop() {
    stopped = true;
  }

  /// Whether a reply may have been delivered and its token is too old for a retry.
  boolean isInDoubt(OwnedEvent owned) {
    return owned.step() == Step.REPLY && isOld(owned.event());
  }

  /// Settles an event without knowing whether its answer was delivered.
  Result giveUp(OwnedEvent owned) {
    LOG.warn("Could not determine whether an event was answered; eventId={}", owned.event().id());
    return settled(owned, Result.UNKNOWN);
  }

  /// Sends the answer and settles the event in the inbox, or leaves it for a retry. Blocks.
  Result deliver(OwnedEvent owned, List<LineMessage> answer) throws InterruptedException {
    if (stopped) {
      return handedOn(owned);
    }
    if (answer.isEmpty()) {
      return settled(owned, Result.SILENT);
    }
    if (isInDoubt(owned)) {
      return giveUp(owned);
    }
    String token = owned.event().replyToken();
    if (owned.step() == Step.PUSH || token == null || isOld(owned.event())) {
      return push(owned, answer);
    }
    if (!inbox.mark(owned, Progress.REPLY)) {
      return handedOn(owned);
    }
    return reply(owned, token, answer, () -> push(owned, answer));
  }

  /// Sends a notice by the event's reply token and settles the event. A notice is never pushed,
  /// because LINE charges for pushes. An event without a usable token is postponed until its
  /// actor's lock is free, and then gets its answer. Blocks.
  Result giveNotice(OwnedEvent owned, List<LineMessage> notice) throws InterruptedException {
    if (stopped) {
      return handedOn(owned);
    }
    String token = owned.event().replyToken();
    if (token == null || isOld(owned.event())) {
      return putOff(owned);
    }
    if (!inbox.mark(owned, Progress.REPLY)) {
      return handedOn(owned);
    }
    return reply(owned, token, notice, () -> putOff(owned));
  }

  /// Postpones an event that has had no answer or notice.
  private Result putOff(OwnedEvent owned) {
    if (owned.memoryOnly()) {
      // Only this node knows the event, so no other node can take it over.
      return settled(owned, Result.REFUSED);
    }
    // The reply token is of no use, so the next owner may push.
    boolean _ = inbox.mark(owned, Progress.PUSH);
    boolean _ = inbox.mark(owned, Progress.LATER);
    meters.ended(Result.HANDED_ON);
    return Result.HANDED_ON;
  }

  /// @param otherwise what to do when LINE refuses the reply and has surely shown none
  private Result reply(OwnedEvent owned, String token, List<LineMessage> answer, Sending otherwise)
      throws InterruptedException {
    boolean mayBeDelivered = owned.step() == Step.REPLY;
    for (int i = 0; !isOld(owned.event()); i++) {
      meters.replyAge().record(Math.max(0, age(owned.event())), TimeUnit.MILLISECONDS);
      switch (client.reply(token, answer)) {
        case SendOutcome.Accepted _ -> {
          return settled(owned, Result.REPLIED);
        }
        case SendOutcome.Refused _ -> {
          return mayBeDelivered ? settled(owned, Result.REPLIED) : otherwise.send();
        }
        case SendOutcome.Unauthorized _ -> {
          if (!mayBeDelivered) {
            // Nothing was delivered, so the next owner may push.
            boolean _ = inbox.mark(owned, Progress.PUSH);
          }
          return handedOn(owned);
        }
        case SendOutcome.Limited _ -> {}
        case SendOutcome.Unanswered(boolean maybe) -> mayBeDelivered |= maybe;
      }
      pause.of(PAUSES[Math.min(i, PAUSES.length - 1)]);
    }
    return mayBeDelivered ? giveUp(owned) : otherwise.send();
  }

  private Result push(OwnedEvent owned, List<LineMessage> answer) throws InterruptedException {
    String to = owned.event().chat().address();
    if (to == null) {
      return settled(owned, Result.REFUSED);
    }
    if (!quota.allows()) {
      return settled(owned, Result.QUOTA);
    }
    if (!inbox.mark(owned, Progress.PUSH)) {
      return handedOn(owned);
    }
    if (owned.event().replyToken() != null) {
      meters.fallbacks().increment();
    }
    return pushed(owned, to, answer);
  }

  private Result pushed(OwnedEvent owned, String to, List<LineMessage> answer)
      throws InterruptedException {
    UUID key = RetryKey.of(owned.event().id());
    for (Duration wait : PAUSES) {
      switch (client.push(to, answer, key)) {
        case SendOutcome.Accepted(boolean repeated) -> {
          if (!repeated) {
            quota.countPush();
          }
          return settled(owned, Result.PUSHED);
        }
        case SendOutcome.Refused _ -> {
          return settled(owned, Result.REFUSED);
        }
        case SendOutcome.Unauthorized _ -> {
          return handedOn(owned);
        }
        case SendOutcome.Limited(boolean monthly) -> {
          if (monthly) {
            quota.markExhausted();
            return settled(owned, Result.QUOTA);
          }
        }
        case SendOutcome.Unanswered _ -> {}
      }
      pause.of(wait);
    }
    return handedOn(owned);
  }

  /// Marks the event as done and counts the result.
  Result settled(OwnedEvent owned, Result result) {
    boolean _ = inbox.mark(owned, Progress.DONE);
    meters.ended(result);
    return result;
  }

  private Result handedOn(OwnedEvent owned) {
    inbox.release(owned);
    meters.ended(Result.HANDED_ON);
    return Result.HANDED_ON;
  }

  private boolean isOld(LineEvent event) {
    return age(event) > TOKEN_LIFE.toMillis();
  }

  private long age(LineEvent event) {
    return clock.millis() - event.at();
  }

  /// The retry key of an event's push: a name-based UUID of version 5 (RFC 9562, section 5.5),
  /// which every node and every attempt derives alike.
  static final class RetryKey {
    /// The namespace of Fairgate's events: a fixed random UUID.
    private static final UUID NAMESPACE = UUID.fromString("6f0d6c1e-9a55-4b0e-8c44-1f6b7a1d2e93");

    private RetryKey() {}

    static UUID of(String eventId) {
      return of(NAMESPACE, eventId);
    }

    static UUID of(UUID namespace, String name) {
      try {
        // Version 5 is defined with SHA-1; nothing secret depends on it.
        MessageDigest digest = MessageDigest.getInstance("SHA-1");
        digest.update(
            ByteBuffer.allocate(16)
                .putLong(namespace.getMostSignificantBits())
                .putLong(namespace.getLeastSignificantBits())
                .array());
        ByteBuffer hash = ByteBuffer.wrap(digest.digest(name.getBytes(StandardCharsets.UTF_8)));
        long high = (hash.getLong() & ~0xf000L) | 0x5000L;
        long low = (hash.getLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
        return new UUID(high, low);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("This JVM has no SHA-1", e);
      }
    }
  }
}
