package fairgate.line;

import fairgate.line.Inbox.Step;
import fairgate.line.Inbox.Taken;
import fairgate.line.Inbox.Word;
import fairgate.line.api.LineClient;
import fairgate.line.api.LineMessage;
import fairgate.line.api.QuotaGuard;
import fairgate.line.api.Sent;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings an event's answer to LINE, once.
///
/// First by the event's reply token, which is free: LINE takes it once, so a second try with the
/// same token cannot say anything twice, and while the token is young its refusal means that the
/// first try got through. When the token is too old, or was refused though nothing had been sent
/// with it, by a push with a retry key that is derived from the event, of which LINE takes one.
/// Where it is in doubt whether a reply got through and its token has grown too old to ask, nothing
/// more is sent: rather no answer than two.
final class Delivery {
  private static final Logger LOG = LoggerFactory.getLogger(Delivery.class);

  /// LINE promises one minute from the event on; what is sent now is still under way for a moment.
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

  /// How the work on an event ended.
  enum End {
    REPLIED,
    PUSHED,
    /// There was nothing to say.
    SILENT,
    /// A reply was tried and LINE's answer never came, nor can be asked for any more.
    UNKNOWN,
    /// LINE will never take the answer.
    REFUSED,
    /// The month's pushes are used up.
    QUOTA,
    /// Too old to be answered.
    STALE,
    /// Another node has it, or will have.
    HANDED_ON
  }

  /// Waits on a virtual thread.
  @FunctionalInterface
  interface Pause {
    void of(Duration time) throws InterruptedException;
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

  /// From now on nothing is sent: what is being answered is cut short by the end of this server,
  /// and left to another.
  void stop() {
    stopped = true;
  }

  /// Whether the answer cannot be sent any more without the danger of a second one.
  boolean isInDoubt(Taken taken) {
    return taken.step() == Step.REPLY && isOld(taken.event());
  }

  /// Settles an event that may have been answered and may not.
  End giveUp(Taken taken) {
    LOG.warn("whether event {} was answered cannot be known", taken.event().id());
    return settled(taken, End.UNKNOWN);
  }

  /// Sends the answer and settles the event in the inbox, or leaves it to be tried again. Blocks.
  End deliver(Taken taken, List<LineMessage> answer) throws InterruptedException {
    if (stopped) {
      return handedOn(taken);
    }
    if (answer.isEmpty()) {
      return settled(taken, End.SILENT);
    }
    if (isInDoubt(taken)) {
      return giveUp(taken);
    }
    String token = taken.event().replyToken();
    if (taken.step() == Step.PUSH || token == null || isOld(taken.event())) {
      return push(taken, answer);
    }
    if (!inbox.mark(taken, Word.REPLY)) {
      return handedOn(taken);
    }
    return reply(taken, token, answer);
  }

  private End reply(Taken taken, String token, List<LineMessage> answer)
      throws InterruptedException {
    boolean doubt = taken.step() == Step.REPLY;
    for (int i = 0; !isOld(taken.event()); i++) {
      meters.replyAge().record(Math.max(0, age(taken.event())), TimeUnit.MILLISECONDS);
      switch (client.reply(token, answer)) {
        case Sent.Accepted _ -> {
          return settled(taken, End.REPLIED);
        }
        case Sent.Refused _ -> {
          return doubt ? settled(taken, End.REPLIED) : push(taken, answer);
        }
        case Sent.Unauthorized _ -> {
          if (!doubt) {
            // Nothing has been said: whoever takes over may push.
            boolean _ = inbox.mark(taken, Word.PUSH);
          }
          return handedOn(taken);
        }
        case Sent.Limited _ -> {}
        case Sent.Unanswered(boolean maybe) -> doubt |= maybe;
      }
      pause.of(PAUSES[Math.min(i, PAUSES.length - 1)]);
    }
    return doubt ? giveUp(taken) : push(taken, answer);
  }

  private End push(Taken taken, List<LineMessage> answer) throws InterruptedException {
    String to = taken.event().chat().address();
    if (to == null) {
      return settled(taken, End.REFUSED);
    }
    if (!quota.allows()) {
      return settled(taken, End.QUOTA);
    }
    if (!inbox.mark(taken, Word.PUSH)) {
      return handedOn(taken);
    }
    if (taken.event().replyToken() != null) {
      meters.fallbacks().increment();
    }
    return pushed(taken, to, answer);
  }

  private End pushed(Taken taken, String to, List<LineMessage> answer) throws InterruptedException {
    UUID key = RetryKey.of(taken.event().id());
    for (Duration wait : PAUSES) {
      switch (client.push(to, answer, key)) {
        case Sent.Accepted(boolean before) -> {
          if (!before) {
            quota.taken();
          }
          return settled(taken, End.PUSHED);
        }
        case Sent.Refused _ -> {
          return settled(taken, End.REFUSED);
        }
        case Sent.Unauthorized _ -> {
          return handedOn(taken);
        }
        case Sent.Limited(boolean monthly) -> {
          if (monthly) {
            quota.exhausted();
            return settled(taken, End.QUOTA);
          }
        }
        case Sent.Unanswered _ -> {}
      }
      pause.of(wait);
    }
    return handedOn(taken);
  }

  /// The work on the event is over.
  End settled(Taken taken, End end) {
    boolean _ = inbox.mark(taken, Word.DONE);
    meters.ended(end);
    return end;
  }

  private End handedOn(Taken taken) {
    inbox.letGo(taken);
    meters.ended(End.HANDED_ON);
    return End.HANDED_ON;
  }

  private boolean isOld(LineEvent event) {
    return age(event) > TOKEN_LIFE.toMillis();
  }

  private long age(LineEvent event) {
    return clock.millis() - event.at();
  }
}
