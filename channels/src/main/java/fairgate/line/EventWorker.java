package fairgate.line;

import fairgate.line.Inbox.OwnedEvent;
import fairgate.line.Inbox.Progress;
import fairgate.line.api.LineClient;
import fairgate.line.api.LineMessage;
import fairgate.line.talk.Chat;
import fairgate.line.talk.Talk;
import fairgate.platform.lock.ActorKey;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.lock.ProcessingLock.LockOutcome;
import fairgate.platform.run.BlockingWork;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Processes events on the threads of the chat queues.
///
/// An event that asks for work takes its actor's processing lock and is processed on a thread of
/// its own. The chat's next event therefore starts at once, finds the lock taken and gets a notice
/// instead of an answer. All other events are processed in the queue, in order; without locks all
/// events are.
final class EventWorker {
  private static final Logger LOG = LoggerFactory.getLogger(EventWorker.class);
  private static final Duration MAX_AGE = Duration.ofHours(1);

  /// Events in progress at a time. Each makes a few outgoing calls.
  private static final int MAX = 256;

  /// LINE allows 100 calls a second. The loading animation is not worth a refusal.
  private static final int LOADINGS_A_SECOND = 50;

  private final Inbox inbox;
  private final ProcessingLock lock;
  private final LineSettings.Locks locks;
  private final Talk talk;
  private final Delivery delivery;
  private final LineClient client;
  private final Clock clock;
  private final Semaphore free = new Semaphore(MAX);
  private final AtomicInteger working = new AtomicInteger();
  private final PerSecond loadings = new PerSecond(LOADINGS_A_SECOND);

  EventWorker(
      Inbox inbox,
      ProcessingLock lock,
      LineSettings.Locks locks,
      Talk talk,
      Delivery delivery,
      LineClient client,
      Clock clock) {
    this.inbox = inbox;
    this.lock = lock;
    this.locks = locks;
    this.talk = talk;
    this.delivery = delivery;
    this.client = client;
    this.clock = clock;
  }

  /// The number of events in progress outside the queues.
  int size() {
    return working.get();
  }

  /// Processes the next event of a chat.
  void work(OwnedEvent owned) {
    LineEvent event = owned.event();
    // The reply token has expired, so an answer to a redelivered or taken-over event would cost a
    // push.
    if (clock.millis() - event.at() > MAX_AGE.toMillis()) {
      var _ = delivery.settled(owned, Delivery.Result.STALE);
      return;
    }
    if (!talk.concerns(event.chat(), event.incoming())) {
      var _ = delivery.settled(owned, Delivery.Result.SILENT);
      return;
    }
    Optional<String> key = key(event);
    if (key.isEmpty()) {
      answer(owned);
      return;
    }
    Duration life = locks.life(event.incoming(), lock.config().timeout());
    switch (lock.tryAcquireLock(key.get(), life).await()) {
      case LockOutcome.Acquired(var lease) -> {
        working.incrementAndGet();
        var _ =
            (locks.renewal()
                    ? lock.whileLocked(lease, life, () -> answerAsync(owned))
                    : lock.untilDone(lease, () -> answerAsync(owned)))
                .onComplete(_ -> working.decrementAndGet());
      }
      case LockOutcome.Busy() -> busy(owned);
    }
  }

  /// The lock key of the event; empty when it needs no lock.
  private Optional<String> key(LineEvent event) {
    Chat chat = event.chat();
    if (!event.incoming().isLocked() || !lock.config().enabled() || locks.isExempt(chat)) {
      return Optional.empty();
    }
    Optional<String> key = ActorKey.buildActorKey(chat.userId(), chat.groupId(), chat.roomId());
    if (key.isEmpty()) {
      LOG.warn("Event has no source; processing it without a lock; eventId={}", event.id());
    }
    return key;
  }

  /// Handles an event of an actor whose previous event is still in progress.
  private void busy(OwnedEvent owned) {
    LineEvent event = owned.event();
    if (owned.takenOver()) {
      // It was interrupted on another node, so it gets an answer and not a notice.
      boolean _ = inbox.mark(owned, Progress.LATER);
    } else {
      List<LineMessage> notice = talk.notice(event.chat(), event.incoming());
      send(owned, () -> delivery.giveNotice(owned, notice));
    }
  }

  private Future<Void> answerAsync(OwnedEvent owned) {
    return BlockingWork.<Void>call(
            "line-work",
            () -> {
              answer(owned);
              return null;
            })
        .onFailure(e -> LOG.error("Processing of a LINE event failed", e))
        .otherwiseEmpty();
  }

  private void answer(OwnedEvent owned) {
    LineEvent event = owned.event();
    free.acquireUninterruptibly();
    try {
      // Skip the weather request when the answer cannot be sent.
      if (delivery.isInDoubt(owned)) {
        var _ = delivery.giveUp(owned);
        return;
      }
      loading(event);
      List<LineMessage> answer = talk.answer(event.chat(), event.incoming());
      send(owned, () -> delivery.deliver(owned, answer));
    } finally {
      free.release();
    }
  }

  private void loading(LineEvent event) {
    String user = event.chat().userId();
    if (user != null
        && event.chat().isPrivate()
        && talk.takesTime(event.chat(), event.incoming())
        && loadings.take(clock.millis())) {
      BlockingWork.start("line-loading", () -> client.loading(user));
    }
  }

  private void send(OwnedEvent owned, Delivery.Sending sending) {
    try {
      Delivery.Result result = sending.send();
      LOG.debug("Event settled; eventId={}, result={}", owned.event().id(), result);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      inbox.release(owned);
    }
  }

  /// Limits the calls per second of all callers together.
  private static final class PerSecond {
    private final int max;
    private long second;
    private int used;

    PerSecond(int max) {
      this.max = max;
    }

    synchronized boolean take(long nowMs) {
      long now = nowMs / 1000;
      used = now == second ? used + 1 : 1;
      second = now;
      return used <= max;
    }
  }
}
